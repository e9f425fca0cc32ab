"""What English sentences tell about the world: outside systems, the user, the project.

Invariant: every expression reads lower-case text from `en.prepared`.
"""

from __future__ import annotations

from memtui.engine.plans.extraction.en_family import Families, Family
from memtui.engine.plans.extraction.en_words import (
    ARTEFACTS,
    DATE,
    DAY,
    LOCATED,
    PLACE,
    ROLES,
    SYSTEMS,
    pattern,
)

_URL = r"(?:\b[a-z][a-z0-9+.-]{1,12}://\S+|\b(?:[\w-]+\.)+(?:com|org|net|dev|io|app)/\S*|\b(?:[\w-]+\.)+(?:internal|local|corp|lan|intranet)\b\S*)"
_NAMED = r"(?:[\"`«“][^\"`»”]{2,60}[\"`»”])"
_EVENT = (
    r"(?:releases?|releasing|be released|launch(?:es)?|launching|be launched|go(?:es)? live|"
    r"going live|go-live|ships?|shipping|freez\w+|frozen|deadline|due|cut-?over|cut-?off|ends?|"
    r"starts?|begins?|expires?|opens?|closes?|lasts|until|till|by|no later than|takes? over|"
    r"moves?|migrat\w+|retir\w+|sunset\w*|deprecat\w+|end of life|eol|shuts?|switch\w*|"
    r"takes? effect|turn(?:s|"
    r"ed)? off|go(?:es)? away|lands?|demo|audit\w*|pilot|conference|beta|alpha|gold|submission|"
    r"tender|milestone|contract|budget|renew\w*|joins?|leaves?|leave|sabbatical|hand-?(?:over|"
    r"off)|no merges|wants?|promised|supports?|keeping|goal|target|hidden|stays?|kick-?off|"
    r"go to|go(?:es)? to|comes? back|go(?:es)? out|retires|handed in|hand in|delivery|"
    r"deliver\w*|inspection|trial|exam|thesis|defen[cs]e|since|after|from|before|between|will|"
    r"going to|needs?|starting|effective|postponed|delayed|has to|have to|must|schedul\w+|"
    r"plan\w*|visit|training|workshop|(?:gets?|is|are|be) (?:\w+ )?\w+(?:ed|en|t)\b)"
)

REFERENCE: Families = (
    Family(
        "link with a purpose",
        "reference",
        pattern(
            rf"^(?!(?:please |can you |just )*(?:fetch|open|read|clone|download|look|try|visit|"
            rf"summari[sz]e|i |got|found)).*(?:\b(?:is|are|lives?|sits?|see|at|under|on|in|"
            rf"go(?:es)?|tracked|hosted|documented|find|holds?|has|contains?|for|use|via|"
            rf"through)\b|'s|'re|:|=|->|→|—|–|-).*{_URL}",
        ),
        may_be_specific=False,
    ),
    Family(
        "link with a purpose",
        "reference",
        pattern(
            r"^(?:please )?use (?:the )?(?:#[\w-]+|[\w-]+)(?: slack| teams)? (?:channel|board|"
            r"tracker|form|mailing list|queue) (?:for|to)\b",
            rf"^(?:\w+ ){{0,3}}{_URL},? (?:is|are|has|holds|contains|lists|shows|gives|"
            rf"tells)(?! (?:broken|down|wrong|404|dead|slow|not))",
        ),
    ),
    Family(
        "where things are",
        "reference",
        pattern(
            rf"\b{LOCATED} (?:\w+ ){{0,3}}?{PLACE} (?:\S+ ){{0,3}}?(?:\S+['’]s )?{SYSTEMS}(?![\w-]"
            rf")",
            rf"\b{SYSTEMS},? (?:\S+ ){{0,4}}?(?:is|are|holds|has|knows|feeds|keeps|"
            rf"contains) (?:\w+ ){{0,3}}?(?:the (?:source of truth|place|only place|truth|board|"
            rf"list|home|master|canonical)|where|our)\b",
            rf"^(?:ask|file|report|post|raise|request|log|book|announce|"
            rf"discuss) (?:[\w-]+ ){{0,3}}?[\w-]+s (?:in|on|at|to|through|"
            rf"via) (?:\S+ ){{0,3}}?{SYSTEMS}(?![\w-])",
            r"\b(?:source of truth|the truth for|single source|system of record|"
            r"canonical (?:copy|version|source|place))\b(?!.* should)",
            rf"\b(?:is|are|gets?) (?:all |only |also )*(?:tracked|filed|documented|hosted|kept|"
            rf"archived|published|collected|triaged|written up|versioned|logged|catalogued|"
            rf"listed|recorded) (?:in|on|at|under|by|through|via) (?:the |our )?(?:{_NAMED}|"
            rf"\S+ (?:project|board|team|space|page|channel|tracker|repo|repository|folder|"
            rf"drive|sheet|spreadsheet|database|list|forum|server|site|portal))",
            rf"^(?:for|about) .*\bthere(?:'s| is) (?:the |"
            rf"an? )?(?:\S+ ){{0,2}}?{SYSTEMS}(?![\w-])",
            rf"\bwe (?:track|keep|store|log|file|document|manage|plan|discuss|host|publish|"
            rf"collect|archive|do) .{{2,40}} (?:in|on|with|via|through|"
            rf"at) (?:\S+ ){{0,2}}?{SYSTEMS}(?![\w-])",
            rf"^ask (?:in|on) (?:\S+ ){{0,2}}?{SYSTEMS}(?![\w-])",
            rf"\b(?:lives?|sits?|resides?|(?:is|are) kept|(?:is|are) stored|(?:is|are)|ends? up|"
            rf"comes? from|goes (?:to|in|into)|go (?:to|in|into)) (?:\w+ )?(?:in|on|at|under|"
            rf"from|into|to)? ?(?:the |our |a )?(?:\S+ )?(?:shared )?(?:folder|channel|page|"
            rf"board|space|bucket|spreadsheet|sheet|project|site|schedule|drive|mailbox|file|"
            rf"calendar|repo|repository|server|share) ?{_NAMED}",
            rf"\b{SYSTEMS},? (?:project|page|board|schedule|site|space|team|folder|channel|view|"
            rf"file|database|workspace|queue|label|filter|dashboard|tab|section|component|"
            rf"experiment|index|group|vault|collection|dataset|list) (?:{_NAMED}|#|[a-z]*\d)",
            rf"^(?:for|questions about|anything about|if you need|when you need) .*\b(?:see|"
            rf"check|look (?:in|at|up)|go to|ask in|consult|search) (?:\S+ ){{0,3}}?{SYSTEMS}",
            r"\b(?:lives?|sits?|ends? up|is|are) (?:\w+ )?(?:in|on|at|"
            r"under) (?:\S+ ){0,3}?(?:\\\\|~/|/mnt/|/srv/|smb:|nfs:)\S+",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
)

USER: Families = (
    Family(
        "preference",
        "user",
        pattern(
            r"\b(?:i|we)(?:'d| would)?(?: (?:strongly|much|really|always|generally|usually|"
            r"personally|still|do|both|all|far))* (?:prefer|favou?r|rather (?:have|see|get|read|"
            r"know|be|you)|tend to|can't stand|dislike|lean towards?|like (?:to|my|our|it when|"
            r"\w+ing|having|seeing|getting|short|small|plain|code|things|things)|(?:work|think|"
            r"learn|read|focus|concentrate)s? (?:better|best|faster))\b",
            r"^(?:our|my) (?:team|group|squad|company) (?:prefers?|likes?|leans|favou?rs|"
            r"dislikes|doesn't like|hates)\b",
            r"^prefer (?!the |this |that )\w+ing\b",
            r"^(?:prefer(?:ence)?s? (?:for|is|are|:)|my preference)\b|"
            r"^(?:strongly )?prefer (?!the |this|that)\w+ (?:over|to|rather)\b",
            r"\b(?:suits? (?:me|us)|works? (?:best|better) for (?:me|us)|helps? (?:me|us)|"
            r"matters? (?:a lot )?to (?:me|us)|means nothing to me|(?:is|are) (?:useless|"
            r"gibberish|noise|greek|a mystery|torture|unreadable|home turf|second nature|easier|"
            r"hard|harder) (?:to|for) (?:me|us)|do(?:es)?n't do (?:much|anything|a lot) for me|"
            r"go(?:es)? (?:past|over) (?:me|my head)|lost on me|tell me nothing)\b",
            r"\bi (?:absorb|understand|digest|process|remember|follow) (?:\w+ ){0,3}(?:better|"
            r"best|more easily)\b",
            rf"^i (?:really )?(?:hate|loathe) (?:\w+ ){{0,3}}{ARTEFACTS}\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "who the user is",
        "user",
        pattern(
            r"\bi(?:'ve got|'m|'m in| got) (?:adhd|dyslexia|rsi|kids|aphantasia)\b|\bi(?:'m|"
            r" am) (?:on|in|with|part of) the [\w-]+(?: [\w-]+)? (?:team|squad|group|side|"
            r"department)\b",
            r"^(?:ex|former|trained|retired|recovering)[- ][a-z]+\b",
            r"\bi (?:read|review|write|listen to|watch) (?:everything|most|my|all|code|docs|"
            r"diffs|prs|mail)\b|\bi can't (?:hear|type|distinguish|see) (?:well|colou?rs?|red|"
            r"small|much|long|for long)\b|\bi know (?!(?:that|the|it|what|why|how|who|where|you|"
            r"this|i|we|he|she|they|about|a)\b)[\w+#.]+|\bis my (?:first|second|third|native|"
            r"main|weak|daily|day)\b",
            r"^(?=.*\b(?:i|i'm|my|me)\b).*\b(?:rsi|carpal tunnel|arthritis|migraines?|"
            r"dyslexi\w+|adhd|autis\w+|screen reader|colou?r[- ]?blind\w*)\b",
            r"^call me [a-z]+\b(?!.* (?:when|if|back)\b)",
            rf"\bi(?:'m| am|m) (?:still |really |mostly |mainly |primarily |actually |"
            rf"basically |only |also |not )*(?:an? |the |one of |your |"
            rf"our )(?:\S+ ){{0,3}}?{ROLES}\b",
            r"\bi(?:'m| am|m) (?:still |really |mostly |mainly |pretty |fairly |very |quite |"
            r"completely |totally |relatively |not |also |more |severely |partly |"
            r"red[-/ ]green |an? )*(?:new to|fluent|self-taught|colou?r-?blind|deaf|blind|"
            r"dyslexic|left-handed|hard of hearing|short-?sighted|visually impaired|autistic|"
            r"adhd|responsible for|in charge of|the only|used to (?!be)|comfortable (?:with|in)|"
            r"familiar with|experienced|at home (?:in|with)|rusty|weak (?:in|on|at)|"
            r"strong (?:in|on|at)|good (?:at|with)|bad (?:at|with)|useless (?:at|with)|"
            r"hopeless (?:at|with)|allergic to|based in|from (?!the)|part-?time|full-?time|"
            r"retired|freelance|remote|in (?:utc|cet|gmt|est|pst|ist)|the (?:one|person) (?:who|"
            r"that))\b",
            r"\bi(?:'m| am|m) (?:a|an|the) (?!(?:bit|little|tad|lot|mess|moron|idiot|fan|fool|"
            r"genius|happy|star|wreck|disaster|minute|step|day|"
            r"week)\b)[\w-]+(?: [\w-]+)?(?: by (?:trade|training|day)|, (?:not|so|and|but)\b|$|"
            r" (?:at|in|with|for|on|from|who)\b)",
            rf"\bi(?:'m| am|m) (?:a |an |the )?(?:[\w-]+ ){{0,2}}{ROLES}\b(?! (?:at it|issue))",
            r"\bi(?:'m| am|m) in (?!the|a|an|trouble|doubt|favou?r|charge|love|two|need|on|"
            r"touch|between|meetings?|it|this|that|here|there|full|no|agreement|luck)\w+",
            r"\bi have (?:an? |the |no )?(?:[\w-]+ ){0,2}(?:deficiency|dyslexia|adhd|rsi|degree|"
            r"phd|impairment|disability|kids|background|allergy|astigmatism|tremor|"
            r"aphantasia)\b",
            r"\bi (?:use|am on|run|type on|drive) (?:an? |the )?(?:[\w-]+ ){0,2}(?:keyboard|"
            r"layout|mac|linux|windows|vim|neovim|emacs|vs ?code|intellij|pycharm|zsh|fish|tmux|"
            r"screen reader|screen magnifier|trackpad|dvorak|colemak|nixos|arch|wsl|helix)\b",
            r"\b(?:i )?(?:wrote|did|worked|used|taught|started|coded|"
            r"programmed) (?:\w+ ){1,4}?(?:for|after) (?:\w+ ){0,2}(?:years?|decades?)\b|"
            r"^(?:i )?(?:started|picked up|learned|learnt) \S+ (?:\w+ ){1,3}(?:weeks?|months?|"
            r"years?|days?) ago\b",
            rf"\b{ROLES} here\b|\bmy part (?:in|of) the project is\b",
            r"\bmy (?:main |current |actual |own |day-to-day |official |primary )*(?:role|"
            r"job(?: title)?|background|title|position|degree|native (?:language|tongue)|"
            r"mother tongue|first language|english|time ?zone|day job|strength|weak (?:spot|"
            r"point|side)|weakness|editor|setup|shell|keyboard|(?:working |office )?hours|"
            r"work ?day|day|week|shift|hands|wrists|employer|commute|eyesight|eyes|hearing|"
            r"experience|speciality|specialty|field|training|expertise|comfort zone|desktop|"
            r"laptop|machine|screen reader|pronouns|phd|thesis|"
            r"daily driver)\b.{0,30}?(?:\b(?:is|are|was|says|isn't|aren't|runs|starts?|ends?|"
            r"covers?)\b|:|'s)",
            r"\bi(?:'ve| have)(?: (?:only|mostly|mainly|never|always|just|already|"
            r"ever))* (?:spent|been|worked|done|written|used|touched|shipped|taught|maintained|"
            r"built|run)\b.*\b(?:years?|decades?|months?|life|career|since (?:19|20)\d\d|before|"
            r"ever|professionally)\b",
            r"\bi(?:'ve| have)? never (?:touched|written|used|worked (?:with|in|on)|learned|"
            r"learnt|done|shipped|deployed|really (?:used|learned|learnt)) (?!(?:it|this|"
            r"that)\b)\w+",
            r"^(?:i've |have )?been (?:using|writing|doing|working|coding|programming|"
            r"developing|teaching)\b.*(?:\bsince\b|\byears?\b|\bdecades?\b|\bfor ages\b)",
            r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|"
            r"thirty|many|a few)\+? (?:years?|decades?|months) (?:of|in|as|doing|writing|with|"
            r"on|at|into)\b.*\b(?:i|me|my|behind me)\b",
            r"^(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|"
            r"thirty)\+? years (?:of|in|as|doing|writing)\b",
            r"^(?:coming|i come|i came|i'm coming|"
            r"being) (?:from )?(?:to \w+ )?(?:from )?(?:an? |the )?\w+.*\b(?:i|me|my)\b",
            rf"^as (?:an? |the )(?:\S+ ){{0,3}}?{ROLES}\b.*\b(?:i|me|my)\b",
            r"\bi (?:can|can't|cannot|could never|don't|do not|barely|hardly|only|mostly|mainly|"
            r"rarely|never|usually|always|normally|generally|typically|often|regularly|"
            r"still)(?: really| actually| only| hardly| just)? (?:read|write|speak|code|spot|"
            r"know|understand|use|work|touch|program|type|do|review|follow|work|have|get|start|"
            r"test|keep|commit|develop|think|sit)\b(?! (?:it|this|that|the|why|what|how|if|"
            r"whether|a|an|any|you|so|anything|think|mind|about)\b)",
            r"\bi (?:work|live|sit|teach|study|freelance|research|moonlight|volunteer|commute|"
            r"lecture)\b(?! (?:on (?:the|a|my|this|it)\b(?! [\w-]+ (?:team|squad|group|side|"
            r"project))|it|this|that|the|around|through|out)\b)",
            r"\bi (?:own|run|maintain|lead|manage|look after|handle|head|do|cover|speak|know|"
            r"use|write|code|develop) (?:the |all |most |all of |mainly |mostly |about |"
            r"roughly |only )*[\w/ -]{2,40}(?:\b(?:side|part|half|stuff|team|group|department|"
            r"myself|daily|every day|at work|for a living|on the side|natively|well)\b)",
            rf"^(?:on |most |every )?(?:{DAY}|evenings|mornings|days|weekdays|weekends|"
            rf"nights)[, ]+(?:\w+ )?i\b",
            rf"\bi (?:\w+ )?(?:\w+ )?(?:work|am off|am in|code|get online|start|finish|"
            rf"log (?:on|off)|review)\b.*(?:\b{DAY}|\bmornings\b|\bevenings\b|\bweekends\b|"
            rf"\bat night\b|\bfrom home\b|\bpart[- ]time\b|\bremotely\b|\bon the train\b|"
            rf"\b(?:utc|cet|gmt|est|pst|ist)\b)",
            r"\bi find .{0,50}\b(?:hard|easier|harder|helpful|confusing|tiring|difficult|tricky|"
            r"intimidating|unreadable|impossible|useful|hard going)\b",
            r"\bi(?:'m| am)? do(?:ing)? (?:the )?most of my \w+|\bi do (?:most|all) (?:of )?my\b",
            r"\bi live in\b|\b(?:explain|spell out|treat) .*\b(?:to|for) me\b.*\bi(?:'m| am)\b|"
            r"\bi(?:'m| am) colou?r",
            r"\b(?:i'm|i am|im) (?:on|using) (?:linux|windows|macos|mac|a mac|nixos|arch|ubuntu|"
            r"fedora|wsl|debian|emacs|vim|neovim|vs ?code|a (?:screen reader|laptop|tiling))\b",
            rf"^(?:(?:back-?end|front-?end|embedded|mobile|data|full-?stack|ml|web|game|devops|"
            rf"junior|senior|solo) )+{ROLES}\b",
        ),
        may_be_task=False,
    ),
)

PROJECT: Families = (
    Family(
        "decision",
        "project",
        pattern(
            r"\b(?:we|they|team|board|management|group|committee|company|i)(?:'ve| have|'re|"
            r" are| all| both)* (?:now |finally |already |all |just |also |"
            r"unanimously )*(?:decided(?! to (?:try|wait|leave it|go ahead|do it|just))|settled|"
            r"agreed|chose|chosen|picked|dropped|ruled out|scrapped|abandoned|standardi[sz]ed|"
            r"committed|opted|went with|gone with|voted|going (?:with|to use|all in)|sticking|"
            r"sunsetting|dropping|retiring|phasing out|replacing|migrating|"
            r"moving (?:\w+ ){0,2}?(?:to|off|away|from|over)|targeting|keeping|deprecating|"
            r"switching|shutting down|killing|freezing|launching|releasing|shipping|splitting|"
            r"rewriting|porting|consolidating|betting on|burying|staying (?:on|with)|"
            r"move (?:off|away|to|over)|go(?:ing)? native|moved (?:to|off|away)|switched (?:to|"
            r"from|over)|signed|bought|licensed|promised|froze|rejected|turned down|"
            r"said no to)\b",
            r"^(?:decision|decided|agreed|settled|verdict|outcome|(?:the )?(?:plan|decision|"
            r"agreement|call|verdict|rule))(?: (?!was\b)\w+){0,4}?(?: is\b(?! to (?:first|just|"
            r"then|split|extract|move|add|use)\b)|:)|^(?:decided|agreed|settled) (?:on|to|that|"
            r"with|in)\b",
            r"\b(?:it|that)(?:'s| is| was| has been)(?: now| been)? (?:decided(?! to (?:try|"
            r"wait|leave it|go ahead|do it|just))|settled|agreed|final|official)\b",
            r"\b(?:has|have|had) (?:ruled out|banned|vetoed|forbidden|approved|signed|promised|"
            r"agreed|prohibited|blocked)\b",
            r"\b(?:got|was|were|is|are|been) (?:signed|approved|cancelled|canceled|postponed|"
            r"shelved|greenlit|ruled out|banned|sunset|deprecated|discontinued|axed|frozen|"
            r"dropped)\b",
            r"\b(?:replaces|supersedes|is being replaced|are being replaced|is going away|"
            r"are going away|is dead|are dead|is deprecated|no way back)\b",
        ),
        may_be_specific=False,
        may_be_task=False,
        may_be_status=True,
    ),
    Family(
        "after an incident",
        "project",
        pattern(
            r"\b(?:since|after|because of|following|ever since) (?:the|our|that|"
            r"last) (?:[\w-]+ ){0,3}?(?:outage|breach|incident|leak|data loss|crash|fire|hack|"
            r"attack|audit|lawsuit|recall|fiasco|mess|post ?mortem|accident)\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "date or deadline",
        "project",
        pattern(
            rf"\b{_EVENT}\b.*{DATE}",
            rf"{DATE}.*\b{_EVENT}\b",
            r"\b(?:code|feature|schema|api|content|change|release|string|data|design|hiring|"
            r"ui) ?-?freeze\b.*\b(?:is|starts|begins|until|from|on|for|lasts|ends)\b",
            r"\b(?:deadline|due date|release date|launch date|cut-?off|"
            r"milestone) (?:for .{1,40} )?(?:is|was moved|moved|stays|:)",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "goal or constraint",
        "project",
        pattern(
            r"^(?:the |our |my |this )?(?:\S+ )?(?:goals?|targets?|aim|objective|milestone|"
            r"okrs?|kpis?|budget|north star|scope|priority|sla|slo|non-goals?) (?:for|of|with|"
            r"towards|in|is|are|this|here|until|per|:)",
            r"\b(?:has|have|had) (?:a |an |until |a hard |a total |a fixed )*(?:budget|cap|"
            r"quota|ceiling|deadline|limit|until)\b",
            r"\b(?:must|has to|have to|needs to|need to|can only|can't|cannot|may not|mustn't|"
            r"won't) (?:\w+ )?(?:fit|stay on|stay (?:under|below|within|compatible|in|at)|"
            r"run (?:on|in|under|without|offline)|work (?:on|in|with|without|offline)|support|"
            r"be (?:compatible|able|certified|hosted|supported|available|accessible|offline|"
            r"on prem|usable|backward\w*)|exceed|leave|comply|handle|keep|compile|build|boot|"
            r"start|upgrade|survive|last|pass|use anything)\b",
            r"\bwe(?:'re| are) not (?:going to|supporting|using|allowed|building|taking)\b|"
            r"\bwe (?:won't|don't|no longer|can't|cannot) (?:support|ship|sell|host|deploy|"
            r"release|allow|accept|build for|use anything)\b",
            r"\b(?:licen[cs]e|plan|quota|subscription|tier)\b(?! server).{0,20}\b(?:allows?|"
            r"includes?|covers?|limits?|ends|expires|forbids|runs out)\b|"
            r"\blicen[cs]e server allows\b",
            r"^(?:our |the )?(?:min(?:imum)?|max(?:imum)?|lowest|oldest|"
            r"supported) [\w .]{2,30} (?:is|are)\b",
            rf"\b(?:gets?|is|are|happens?|runs?|meets?|deploys?|ships?|releases?|"
            rf"we \w+) .*\bevery (?:other |second |two |three )?(?:{DAY}|weeks?|months?|"
            rf"quarters?|sprints?|year)\b",
            r"^(?:phase \w+|version \d\S*|v\d\S*|(?:the )?(?:mvp|beta|pilot|alpha|first release|"
            r"next release|next major)) (?:only |just )?(?:covers?|includes?|ships?|comes?|"
            r"gets?|supports?|drops?|requires?|replaces?|loses?|won't|will|has|is for|"
            r"is limited|targets?)\b",
            r"^our (?:launch|main|biggest|first|only|pilot|hosting|cloud|payment|release|target|"
            r"key) [\w-]+ (?:is|are)\b",
            r"\b(?:must|has to|have to|can only|can't|cannot|may not|mustn't|won't|"
            r"may) (?:\w+ )?(?:go (?:above|below|over|beyond|under|into|up)|be (?:stored|kept|"
            r"hosted|processed|encrypted|anonymi[sz]ed|retained|sent abroad|shipped|raised|"
            r"changed any ?more|built in[- ]house|reversed)|grow|sit (?:in|on)|use (?:up to |"
            r"at most |only )?\d)",
            r"\b(?:has|have|gives? us|give us|get|gets) (?:only |just |exactly )?\d+ ?(?:kb|mb|"
            r"gb|tb|k|ms|mhz|ghz|cores?|gpus?)\b",
            r"\b(?:written into|part of|required by|says so in|"
            r"because of) the (?:\w+ )?(?:contract|licen[cs]e|law|agreement|regulation)|"
            r"\bcontract(?:ually)? says?\b|\bmass production\b|\b(?:medical|safety|security|"
            r"aviation|iso|soc ?2) (?:\w+ )?(?:certif\w+|approval)|\b(?:gdpr|hipaa|pci|sox|"
            r"152-fz|dsgvo|ferpa)\b",
            r"\bno (?:budget|headcount|money|hardware|new \w+) (?:for|until|before|after)\b|"
            r"\bgot no budget\b|\b(?:won't|will not) be (?:built|supported|maintained|extended|"
            r"replaced)\b",
            r"\bthat(?:'s| is) (?:what we promised|the deal|the agreement|the promise|decided|"
            r"final|settled)\b|\bwhat we promised\b",
            r"\b(?:leaves?|left) the (?:\w+ )?(?:building|region|country|eu|network|device|"
            r"premises|cluster|vpc)\b",
            r"\b(?:runs?|hosted|deployed|stays?) (?:\w+ )?on[- ]prem(?:ises)?\b|\bair-?gapped\b",
            r"\bstays? (?:frozen|at \d|on \w+ \d|on v?\d|private|internal|closed|open source|"
            r"under)\b",
            r"\b(?:customers?|clients?|they|legal|compliance|security|regulators?|auditors?|"
            r"insurance|apple|google|amazon|microsoft|(?:the |our )?(?:insurers?|banks?|"
            r"schools?|hospitals?|universit(?:y|ies)|authorities|partners?|government|city|"
            r"sponsors?|investors?|publishers?|donors?)|the (?:contract|law|regulator|client|"
            r"customer|board|vendor|publisher|ministry|bank|hospital|school|court|works council|"
            r"insurer))(?: \w+)? (?:insists?|requires?|demands?|forbids?|wants?|needs?|expects?|"
            r"won't (?:accept|allow|sign)|refuses?|mandates?|checks?|prohibits?|guarantees?|"
            r"obliges?|allows?|funds?|pays?|audits?|only (?:accepts?|takes?|allows?|pays?))\b",
            r"\b(?:is|are) (?:limited|capped|restricted|bound|pinned|stuck|locked|"
            r"contractually) (?:to|at|on|by|in|obliged)\b",
            r"\b(?:only|nothing but|no) (?:[\w-]+ ){1,3}?(?:get|gets|go|goes) (?:in|merged|out|"
            r"through|fixed)\b",
            r"\b(?:last callers?|only (?:customer|client|user)s?|end of (?:life|support)|"
            r"minimum supported|lowest supported|supported (?:versions?|browsers?|platforms?)|"
            r"we (?:only )?(?:support|target|ship to|deploy to|sell to|promise\w*))\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
)
