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

_URL = r"(?:\b[a-z][a-z0-9+.-]{1,12}://\S+|\b(?:[\w-]+\.)+(?:com|org|net|dev|io|app|internal|local|corp|lan)/\S*)"
_NAMED = r"(?:[\"`«“][^\"`»”]{2,60}[\"`»”])"
_EVENT = (
    r"(?:releas\w+|launch\w*|go(?:es)? live|going live|go-live|ships?|shipping|freez\w+|frozen"
    r"|deadline|due"
    r"|cut-?over|cut-?off|ends?|starts?|begins?|expires?|opens?|closes?|lasts|until|till|by"
    r"|no later than"
    r"|takes? over|moves?|migrat\w+|retir\w+|sunset\w*|deprecat\w+|end of life|eol|shuts?|switch\w*"
    r"|turn(?:s|ed)? off|go(?:es)? away|lands?|demo|audit\w*|pilot|conference|beta|alpha|gold"
    r"|submission|tender"
    r"|milestone|contract|budget|renew\w*|joins?|leaves?|leave|sabbatical|hand-?(?:over|off)"
    r"|no merges"
    r"|wants?|promised|supports?|keeping|goal|target|hidden|stays?|kick-?off|go to|go(?:es)? to"
    r"|comes? back"
    r"|go(?:es)? out|retires|handed in|hand in|delivery|deliver\w*|inspection|trial|exam|thesis"
    r"|defen[cs]e"
    r"|since|after|from|before|between)"
)

REFERENCE: Families = (
    Family(
        "link with a purpose",
        "reference",
        pattern(
            r"^(?!(?:please |can you |just )*(?:fetch|open|read|clone|download|look|try|visit"
            r"|summari[sz]e|i |got|found))"
            r".*(?:\b(?:is|are|lives?|sits?|see|at|under|on|in|go(?:es)?|tracked|hosted"
            r"|documented|find|holds?"
            rf"|has|contains?|for|use|via|through)\b|'s|'re|:|=|->|→|—|–|-).*{_URL}",
            rf"^(?:\w+ ){{0,3}}{_URL},? (?:is|are|has|holds|contains|for|lists|shows|gives|tells"
            r"|-|–|—|→|->|=|:)",
        ),
    ),
    Family(
        "where things are",
        "reference",
        pattern(
            rf"\b{LOCATED} (?:\w+ ){{0,3}}?{PLACE} (?:\S+ ){{0,3}}?(?:\S+['’]s"
            rf" )?{SYSTEMS}(?![\w-])",
            rf"\b{SYSTEMS},? (?:\S+ ){{0,4}}?(?:is|are|holds|has|knows|feeds|keeps"
            rf"|contains) (?:\w+ ){{0,3}}?"
            r"(?:the (?:source of truth|place|only place|truth|board|list|home|master|canonical)"
            r"|where|our)\b",
            r"\b(?:source of truth|single source|system of record|canonical (?:copy|version"
            r"|source|place))\b"
            r"(?!.* should)",
            r"\b(?:is|are|gets?) (?:all |only |also )*(?:tracked|filed|documented|hosted|kept"
            r"|archived|published"
            r"|collected|triaged|written up|versioned|logged|catalogued|listed|recorded)"
            rf" (?:in|on|at|under|by|through|via) (?:the |our )?(?:{_NAMED}|\S+ (?:project|board"
            r"|team|space|page"
            r"|channel|tracker|repo|repository|folder|drive|sheet|spreadsheet|database|list))",
            r"\b(?:lives?|sits?|resides?|(?:is|are) kept|(?:is|are) stored|(?:is|are)|ends? up"
            r"|comes? from|goes"
            r" (?:to|in|into)|go (?:to|in|into)) (?:\w+ )?(?:in|on|at|under|from|into|to)?"
            r" ?(?:the |our |a )?(?:\S+ )?(?:shared )?(?:folder|channel|page|board|space|bucket"
            r"|spreadsheet|sheet"
            r"|project|site|schedule|drive|mailbox|file|calendar|repo|repository|server"
            rf"|share) ?{_NAMED}",
            rf"\b{SYSTEMS},? (?:project|page|board|schedule|site|space|team|folder|channel|view"
            r"|file|database"
            rf"|workspace|queue|label|filter|dashboard|tab|section) (?:{_NAMED}|#|[a-z]*\d)",
            r"^(?:for|questions about|anything about|if you need|when you need) .*\b(?:see|check"
            r"|look (?:in|at|up)"
            rf"|go to|ask in|consult|search) (?:\S+ ){{0,3}}?{SYSTEMS}",
            r"\b(?:lives?|sits?|ends? up|is|are) (?:\w+ )?(?:in|on|at"
            r"|under) (?:\S+ ){0,3}?(?:\\\\|~/|/mnt/|/srv/"
            r"|smb:|nfs:)\S+",
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
            r"\b(?:i|we)(?:'d| would)?(?: (?:strongly|much|really|always|generally|usually"
            r"|personally|still|do"
            r"|both|all|far))* (?:prefer|favou?r|rather (?:have|see|get|read|know|be|you)|tend to"
            r"|can't stand"
            r"|dislike|like (?:to|my|our|it when|having|seeing|getting|short|small|plain|code"
            r"|things|things)"
            r"|(?:work|think|learn|read|focus|concentrate)s? (?:better|best|faster))\b",
            r"^(?:prefer(?:ence)?s? (?:for|is|are|:)|my preference)\b"
            r"|^(?:strongly )?prefer (?!the |this|that)\w+"
            r" (?:over|to|rather)\b",
            r"\b(?:suits? (?:me|us)|works? (?:best|better) for (?:me|us)|helps? (?:me|us)"
            r"|matters? (?:a lot )?to"
            r" (?:me|us)|means nothing to me|(?:is|are) (?:useless|gibberish|noise|greek"
            r"|a mystery|torture"
            r"|unreadable|home turf|second nature|easier|hard|harder) (?:to|for) (?:me|us)"
            r"|do(?:es)?n't do (?:much"
            r"|anything|a lot) for me|go(?:es)? (?:past|over) (?:me|my head)|lost on me"
            r"|tell me nothing)\b",
            r"\bi (?:absorb|understand|digest|process|remember|follow) (?:\w+ ){0,3}(?:better"
            r"|best|more easily)\b",
            rf"^i (?:really )?(?:hate|loathe) (?:\w+ ){{0,3}}{ARTEFACTS}\b",
        ),
        may_be_specific=False,
    ),
    Family(
        "who the user is",
        "user",
        pattern(
            r"\bi(?:'m| am|m) (?:still |really |mostly |mainly |primarily |actually |basically "
            r"|only |also |not )*"
            rf"(?:an? |the |one of |your |our )(?:\S+ ){{0,3}}?{ROLES}\b",
            r"\bi(?:'m| am|m) (?:still |really |mostly |mainly |pretty |fairly |very |quite "
            r"|completely |totally"
            r" |relatively |not |also |more |severely |partly |red[-/ ]green |an? )*(?:new to"
            r"|fluent|self-taught"
            r"|colou?r-?blind|deaf|blind|dyslexic|left-handed|hard of hearing|short-?sighted"
            r"|visually impaired"
            r"|autistic|adhd|responsible for|in charge of|the only|used to (?!be)"
            r"|comfortable (?:with|in)"
            r"|familiar with|experienced|at home (?:in|with)|rusty|weak (?:in|on|at)|strong (?:in"
            r"|on|at)"
            r"|good (?:at|with)|bad (?:at|with)|useless (?:at|with)|hopeless (?:at|with)"
            r"|allergic to|based in"
            r"|from (?!the)|part-?time|full-?time|retired|freelance|remote|in (?:utc|cet|gmt|est"
            r"|pst|ist)"
            r"|the (?:one|person) (?:who|that))\b",
            r"\bi(?:'m| am|m) (?:a|an|the) (?!(?:bit|little|tad|lot|mess|moron|idiot|fan|fool"
            r"|genius|happy|star"
            r"|wreck|disaster|minute|step|day|week)\b)[\w-]+(?: [\w-]+)?(?: by (?:trade|training"
            r"|day)|, (?:not|so"
            r"|and|but)\b|$| (?:at|in|with|for|on|from|who)\b)",
            r"\bmy (?:main |current |actual |own |day-to-day |official |primary )*(?:role"
            r"|job(?: title)?|background"
            r"|title|position|degree|native (?:language|tongue)|mother tongue|first language"
            r"|english|time ?zone"
            r"|day job|strength|weak (?:spot|point|side)|weakness|editor|setup|shell|keyboard"
            r"|(?:working |office"
            r" )?hours|work ?day|eyesight|eyes|hearing|experience|speciality|specialty|field"
            r"|training|expertise"
            r"|comfort zone|desktop|laptop|machine|screen reader|pronouns|phd|thesis"
            r"|daily driver)\b.{0,30}?"
            r"(?:\b(?:is|are|was|says|isn't|aren't|runs|starts?|ends?|covers?)\b|:|'s)",
            r"\bi(?:'ve| have)(?: (?:only|mostly|mainly|never|always|just|already"
            r"|ever))* (?:spent|been|worked|done"
            r"|written|used|touched|shipped|taught|maintained|built|run)\b.*\b(?:years?|decades?"
            r"|months?|life"
            r"|career|since (?:19|20)\d\d|before|ever|professionally)\b",
            r"\bi(?:'ve| have)? never (?:touched|written|used|worked (?:with|in|on)|learned"
            r"|learnt|done|shipped"
            r"|deployed|really (?:used|learned|learnt)) (?!(?:it|this|that)\b)\w+",
            r"^(?:i've |have )?been (?:using|writing|doing|working|coding|programming|developing"
            r"|teaching)\b.*"
            r"(?:\bsince\b|\byears?\b|\bdecades?\b|\bfor ages\b)",
            r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty"
            r"|many|a few)\+?"
            r" (?:years?|decades?|months) (?:of|in|as|doing|writing|with|on|at|into)\b.*\b(?:i|me"
            r"|my|behind me)\b",
            r"^(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty"
            r"|thirty)\+? years (?:of|in|as"
            r"|doing|writing)\b",
            r"^(?:coming|i come|i came|i'm coming|being) (?:from )?(?:to \w+ )?(?:from )?(?:an? "
            r"|the )?\w+.*\b(?:i|me|my)\b",
            rf"^as (?:an? |the )(?:\S+ ){{0,3}}?{ROLES}\b.*\b(?:i|me|my)\b",
            r"\bi (?:can|can't|cannot|could never|don't|do not|barely|hardly|only|mostly|mainly"
            r"|rarely|never|usually"
            r"|always|normally|generally|typically|often|regularly|still)(?: really| actually"
            r"| only| hardly| just)?"
            r" (?:read|write|speak|code|spot|know|understand|use|work|touch|program|type|do"
            r"|review|follow|work|have"
            r"|get|start|test|keep|commit|develop|think|sit)\b(?! (?:it|this|that|the|why|what"
            r"|how|if|whether|a|an"
            r"|any|you|so|anything|think|mind|about)\b)",
            r"\bi (?:work|live|sit|teach|study|freelance|research|moonlight|volunteer|commute"
            r"|lecture)\b"
            r"(?! (?:it|this|that|the|around|through|out)\b)",
            r"\bi (?:own|run|maintain|lead|manage|look after|handle|head|do|cover|speak|know|use"
            r"|write|code|develop)"
            r" (?:the |all |most |all of |mainly |mostly |about |roughly "
            r"|only )*[\w/ -]{2,40}(?:\b(?:side|part|half"
            r"|stuff|team|group|department|myself|daily|every day|at work|for a living"
            r"|on the side|natively|well)\b)",
            rf"^(?:on |most |every )?(?:{DAY}|evenings|mornings|days|weekdays|weekends"
            r"|nights)[, ]+(?:\w+ )?i\b",
            r"\bi (?:\w+ )?(?:\w+ )?(?:work|am off|am in|code|get online|start|finish|log (?:on"
            rf"|off)|review)\b.*(?:\b{DAY}"
            r"|\bmornings\b|\bevenings\b|\bweekends\b|\bat night\b|\bfrom home\b|\bpart[- ]time\b"
            r"|\bremotely\b"
            r"|\bon the train\b|\b(?:utc|cet|gmt|est|pst|ist)\b)",
            r"\bi find .{0,50}\b(?:hard|easier|harder|helpful|confusing|tiring|difficult|tricky"
            r"|intimidating"
            r"|unreadable|impossible|useful|hard going)\b",
            r"\bi(?:'m| am)? do(?:ing)? (?:the )?most of my \w+|\bi do (?:most|all) (?:of )?my\b",
            r"\bi live in\b|\b(?:explain|spell out|treat) .*\b(?:to|for) me\b.*\bi(?:'m| am)\b"
            r"|\bi(?:'m| am) colou?r",
            r"\b(?:i'm|i am|im) (?:on|using) (?:linux|windows|macos|mac|a mac|nixos|arch|ubuntu"
            r"|fedora|wsl|debian"
            r"|emacs|vim|neovim|vs ?code|a (?:screen reader|laptop|tiling))\b",
            r"^(?:(?:back-?end|front-?end|embedded|mobile|data|full-?stack|ml|web|game|devops"
            r"|junior|senior|solo)"
            rf" )+{ROLES}\b",
        ),
        may_be_status=False,
        may_be_specific=False,
    ),
)

PROJECT: Families = (
    Family(
        "decision",
        "project",
        pattern(
            r"\b(?:we|they|team|board|management|group|committee|company|i)(?:'ve| have|'re| are"
            r"| all| both)*"
            r" (?:now |finally |already |all |just |also |unanimously )*(?:decided|settled|agreed"
            r"|chose|chosen|picked"
            r"|dropped|ruled out|scrapped|abandoned|standardi[sz]ed|committed|opted|went with"
            r"|gone with|voted"
            r"|going (?:with|to use|all in)|sticking|sunsetting|dropping|retiring|phasing out"
            r"|replacing|migrating"
            r"|moving (?:to|off|away|from|everything)|targeting|keeping|deprecating|switching"
            r"|shutting down|killing"
            r"|freezing|launching|releasing|shipping|splitting|rewriting|porting|consolidating"
            r"|betting on|staying"
            r" (?:on|with)|moved (?:to|off|away)|switched (?:to|from|over)|signed|bought|licensed"
            r"|promised"
            r"|froze|rejected|turned down|said no to)\b",
            r"^(?:decision|decided|agreed|settled|verdict|outcome|plan|the (?:plan|decision"
            r"|agreement|call|verdict|rule))"
            r"(?: \w+){0,4}?(?: (?:is|was|made|with|in|from|on|to|that)|:)",
            r"\b(?:it|that)(?:'s| is| was| has been)(?: now| been)? (?:decided|settled|agreed"
            r"|final|official)\b",
            r"\b(?:has|have|had) (?:ruled out|banned|vetoed|forbidden|approved|signed|promised"
            r"|agreed|prohibited|blocked)\b",
            r"\b(?:got|was|were|is|are|been) (?:signed|approved|cancelled|canceled|postponed"
            r"|shelved|greenlit|ruled out"
            r"|banned|sunset|deprecated|discontinued|axed|frozen|dropped)\b",
            r"\b(?:replaces|supersedes|is being replaced|are being replaced|is going away"
            r"|are going away|is dead|are dead"
            r"|is deprecated|no way back)\b",
        ),
        may_be_specific=False,
        may_be_task=False,
        may_be_status=True,
    ),
    Family(
        "date or deadline",
        "project",
        pattern(
            rf"\b{_EVENT}\b.*{DATE}",
            rf"{DATE}.*\b{_EVENT}\b",
            r"\b(?:code|feature|schema|api|content|change|release|string|data|design|hiring"
            r"|ui) ?-?freeze\b.*\b(?:is|starts|begins"
            r"|until|from|on|for|lasts|ends)\b",
            r"\b(?:deadline|due date|release date|launch date|cut-?off"
            r"|milestone) (?:for .{1,40} )?(?:is|was moved|moved|stays|:)",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "after an incident",
        "project",
        pattern(
            r"\b(?:since|after|because of|following|ever since) (?:the|our|that"
            r"|last) (?:[\w-]+ ){0,3}?(?:outage|breach"
            r"|incident|leak|data loss|crash|fire|hack|attack|audit|lawsuit|recall|fiasco|mess"
            r"|post ?mortem|accident)\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "goal or constraint",
        "project",
        pattern(
            r"^(?:the |our |my |this )?(?:\S+ )?(?:goals?|targets?|aim|objective|milestone|okrs?"
            r"|kpis?|budget|north star|scope"
            r"|priority|sla|slo|non-goals?) (?:for|of|in|is|are|this|here|until|per|:)",
            r"\b(?:has|have|had) (?:a |an |until |a hard |a total |a fixed )*(?:budget|cap|quota"
            r"|ceiling|deadline|limit|until)\b",
            r"\b(?:must|has to|have to|needs to|need to|can only|can't|cannot|may not|mustn't"
            r"|won't) (?:\w+ )?(?:fit|stay on|stay"
            r" (?:under|below|within|compatible|in|at)|run (?:on|in|under|without|offline)"
            r"|work (?:on|in|with|without|offline)"
            r"|support|be (?:compatible|able|certified|hosted|supported|available|accessible"
            r"|offline|on prem|usable|backward\w*)"
            r"|exceed|leave|comply|handle|keep|compile|build|boot|start|upgrade|survive|last|pass"
            r"|use anything)\b",
            r"\b(?:leaves?|left) the (?:\w+ )?(?:building|region|country|eu|network|device"
            r"|premises|cluster|vpc)\b",
            r"\b(?:runs?|hosted|deployed|stays?) (?:\w+ )?on[- ]prem(?:ises)?\b|\bair-?gapped\b",
            r"\bstays? (?:frozen|at \d|on \w+ \d|on v?\d|private|internal|closed|open source"
            r"|under)\b",
            r"\b(?:customers?|clients?|they|legal|compliance|security|regulators?|auditors?"
            r"|insurance|the (?:contract|law|regulator"
            r"|client|customer|board|vendor|publisher|ministry|bank|hospital|school|court"
            r"|works council|insurer))"
            r"(?: \w+)? (?:insists?|requires?|demands?|forbids?|wants?|needs?|expects?"
            r"|won't (?:accept|allow|sign)|refuses?|mandates?"
            r"|checks?|prohibits?|guarantees?|obliges?|allows?|only accepts?)\b",
            r"\b(?:is|are) (?:limited|capped|restricted|bound|pinned|stuck|locked"
            r"|contractually) (?:to|at|on|by|in|obliged)\b",
            r"\b(?:only|nothing but|no) (?:[\w-]+ ){1,3}?(?:get|gets|go|goes) (?:in|merged|out"
            r"|through|fixed)\b",
            r"\b(?:last callers?|only (?:customer|client|user)s?|end of (?:life|support)"
            r"|minimum supported|lowest supported"
            r"|supported (?:versions?|browsers?|platforms?)|we (?:only )?(?:support|target"
            r"|ship to|deploy to|sell to|promise\w*))\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
)
