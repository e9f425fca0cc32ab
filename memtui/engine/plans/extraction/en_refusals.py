"""English sentences that state nothing durable, whatever words they use (spec section 8).

Invariant: every expression reads lower-case text from `en.prepared`; a match means: no statement.
"""

from __future__ import annotations

from memtui.engine.plans.extraction.en_words import (
    ARTEFACTS,
    DAY,
    ROLE_NOUNS,
    ROLES,
    TASK_VERBS,
    VERBS,
    pattern,
)
from memtui.engine.plans.extraction.filters import temporary_word

_AUX = r"(?:is|are|was|were|do|does|did|am|can|could|should|would|will|has|have|had|might|shall)"
_QUESTION = pattern(
    r"\?",
    r"^(?:and |but |so |ok |hm+,? )*why\b(?! (?:next|beside|in one))",
    rf"^(?:so )?(?:what|who|whom|whose|where|which|how|when)(?:'s|'re|'d|s)? {_AUX}\b",
    r"^(?:what|who|where|when|how)(?:'s|'re) (?:the|that|this|up|a|your|my|our)\b",
    r"^(?:so )?(?:who|what|how)(?:'s|s)? (?:decided|happens?|about|if|to|come|much|many|long|"
    r"often|again|else|made|broke|wrote|changed|says|exactly|the (?:heck|hell))\b",
    r"^(?:so )?which (?:is it|one|of|way)\b",
    r"^(?:is|are|was|were|does|did|can|could|should|would|will|has|had|may|might|shall|"
    r"am)(?:n't)? (?:i|we|you|he|she|it|they|there|this|that|the|a|an|any|my|our|your|someone|"
    r"anyone|anybody|these|those|all|legal|people|not)\b",
    r"^(?:do|have|don't|haven't|didn't|isn't|aren't|wasn't|doesn't) (?:i|we|you|they|he|she)\b",
    r"\b(?:isn't|aren't|doesn't|don't|wouldn't|won't|didn't|can't|couldn't|shouldn't) (?:it|"
    r"they|we|you|he|she|that)\W*$",
    r"\bor (?:was|is|did|do|does|am|are|must|should|can) (?:i|we|it|that|this|you|there|they)\b",
    r"^(?:any idea|any chance|anyone know|do we|got a|remind me|tell me (?:why|what|how|where|"
    r"which|who|if|whether)|explain (?:why|how|what|to me)|not sure (?:whether|why|if|what|"
    r"how))\b",
    r",? (?:how (?:much|many|long|hard|bad|badly|often)|what) (?:do|does|would|is|are|will|"
    r"happened|gives|now|did)\b[^,]*$",
    r": (?:is|are|does|do|can|what|why|how) (?:it|the|this|that|there|we|i|you)\b",
    r"\b(?:no idea|no clue|don't know|dunno|not sure|can't tell) (?:why|what|how|who|whether|if|"
    r"where)\b",
    r"\b(?:or (?:not|what)|am i right|right|no|eh|huh)\?*$(?<=\?)",
    r"^remember (?:that|the|when|how) (?:weird|time|old|good|bug|crash|day|one|days|thing|"
    r"we used)\b",
)
_HYPOTHETICAL = pattern(
    r"^i (?:forget|forgot|can't remember|don't remember|can't recall|never remember) (?:if|"
    r"whether|what|who|when|"
    r"where|which|how|why)\b",
    r"^(?:suppose|supposing|imagine|pretend|say we|let's say|let's pretend|what if|if only|"
    r"in (?:an ideal|a perfect) world|in theory|hypothetically|one day|some ?day|had we|"
    r"were we)\b",
    r"\bif (?:the )?(?:users?|traffic|load|volume|usage|demand|customers?|data|team|business|"
    r"company|revenue) (?:ever )?"
    r"(?:grows?|doubles?|triples?|explodes?|shrinks?|drops?|goes?|gets?|takes? off|leaves?)\b|"
    r"\bif only\b",
    r"^say (?:every|all|we|i|you|they|the|someone|somebody|it)\b.*\b(?:had|would|were|was|how|"
    r"what)\b",
    r"^ideally\b.*\b(?:would|'d|could)\b",
    r"\bi(?:'m| am| was)? (?:wonder(?:ing)?|guess(?:ing)?|suppose|tempted|toying|torn|musing)\b",
    r"\b(?:musing|thinking out loud|just a thought|brainstorming|spitballing|hypothetical|"
    r"hypothetically|daydream\w*|food for thought|not (?:saying|convinced|suggesting)|"
    r"devil's advocate|thought experiment)\b",
    r"^(?:and |but |even )?if\b.*(?:\bwould(?:n't)?\b|(?<!i)'d\b(?! (?:rather|like|prefer))|"
    r"\bmight\b)",
    r"^if (?:i|we|you|they|it|he|she|there|the \w+|legal|someone) (?:had|were|was|could|did|"
    r"ever (?=\w+ed))\b",
    r"^if (?:we|i|they) (?:always |never |ever |only |just |all |simply )*(?:had|were|"
    r"\w{2,}ed)\b",
    r"\b(?:we|they|you|that|this|there) (?:could|might|would|'d)\b(?! (?:to|rather|prefer|like|"
    r"not|never|have to show))",
    r"\bit (?:might|would|could) (?:be|make|have|help|also|even)\b",
    r"\b(?:we|they)'d\b(?! (?:rather|prefer|like|better))",
    r"^(?:maybe|perhaps|possibly|probably)\b|\b(?:maybe|perhaps) (?:we|i|you|it|one|the)\b",
    r"\b(?:should|could) (?:probably|maybe|perhaps)\b|\bi(?:'d| would) (?:have|never|love|wish|"
    r"say|be)\b",
    r"\b(?:i wish|wish we|leaning towards?|considering|thinking (?:of|about)|would be (?:nice|"
    r"great|cool|good|better|cleaner|easier|fun|ideal)|no decision|not decided|undecided|"
    r"haven't decided|hasn't been decided|still (?:deciding|debating|discussing)|up in the air|"
    r"one can dream)\b",
)
_SMALL_TALK = pattern(
    r"^(?:ok |well |oh |ah )*(?:thanks?|thank you|thx|cheers|haha\w*|lol|lmao|ugh|wow|phew|yay|"
    r"sorry|good (?:morning|night|evening|times)|nice one|well done|awesome|brilliant|lovely|"
    r"honestly|heh?|oof|argh|damn|omg|gosh|wtf|what a|sleep well|see you|have a|must (?:say|"
    r"admit|confess)|funny|tbh|you're (?:a|the|so)|you (?:never|always) (?:disappoint|make|"
    r"cheer|amaze|save|manage|surprise))\b",
    r":-?[)DP(]|;-?\)|\bxd\b|\blol\b|\bhaha|\bhehe|[😂😅🤣😉😀😁🙂🙏🎉😄😆❤]",
    r"\bi must (?:say|admit|confess)\b|\bmust (?:admit|confess)\b|\b(?:never|always) (?:a |"
    r"an )?(?:dull|pleasure|joy|delight|treat|laugh|mess|good|bad|nice|fun|bit|relief|surprise|"
    r"great|happy|glad|funny|amazing|interesting|tricky|worth)\b",
    r"\bi(?:'ve| have)? (?:always|never) (?:forget|forgot|hated|loved|thought|expected|wanted|"
    r"wondered|knew|understood|liked|imagined|believed|dreamed|get|got|felt|have|will|trust|"
    r"learn|enjoy\w*)\b",
    r"\bnever (?:thought|expected|imagined|knew|ceases?|mind|fails? to|gets old|felt|been (?:so|"
    r"happier))\b",
    r"\bi (?:do |really |just |absolutely |kind of )*(?:love|adore|miss|don't miss|"
    r"can't believe|can't wait|swear|bet|hope|feel|felt|enjoy(?:ed)?|don't think i|doubt)\b",
    r"^i(?:'ve| have)? (?:really |just )?hated? (?!(?:[\w-]+ ){0,3}" + ARTEFACTS + r"\b)",
    r"\b(?:ever get over|get over how|made my day|any day|as always|good times|can't complain|"
    r"famous last words|fingers crossed|touch wood|don't tell (?:him|her|them|\w+ i))\b",
    r"\b(?:hats off|kudos|respect)\W*$|^always (?:one|a|two) (?:step|beat|move)\b",
    r"^(?:i(?:'ve)? )?never (?:seen|heard|met|read) (?!secrets)",
    r"^(?:i(?:'ve)? )?(?:always|never) (?:loved|hated|liked|wanted|dreamed|envied|admired|"
    r"believed|trusted|enjoyed)\b",
    r"\bprefer not to (?:think|know|look|talk|remember|discuss|say|dwell)\b|"
    r"\bmy favou?rite (?:\w+ )?(?:deadline|bug|part|"
    r"kind|thing|excuse|error|meeting|moment|joke|sound)\b|\bwith (?:every fibre|a passion|"
    r"all my heart)\b",
    r"^i prefer (?:mondays|fridays|weekends|mornings like|days like)\b",
)
_TEMPORARY = pattern(
    r"\b(?:before|until|till) (?:midnight|noon|lunch|dinner|sunrise|the weekend|"
    r"the end of the day|eod)\b",
    r"\bwhile [\w' -]{1,20} is (?:on|away|out|off|sick)\b",
    r"\bfor (?:now|the moment|the time being|a (?:sec|second|minute|moment|bit|while|few)|once|"
    r"(?:just |only )?this (?:\w+ )?(?:branch|pr|mr|commit|file|ticket|run|one|demo|test|time|"
    r"conversation|chat|change|round|week|afternoon|exercise|experiment|prototype|spike|script)|"
    r"the rest of)\b",
    r"\b(?:right|just) now\b|\bat (?:the|this) moment\b|\bas of now\b|\bthese days\b|"
    r"\bfor today's\b",
    r"\b(?:this|later this) (?:morning|afternoon|evening|week|weekend|sprint|once|time|minute)\b",
    r"\b(?:tonight|tomorrow|yesterday|in the meantime|meanwhile|momentarily|this time|"
    r"one last time|for the next (?:\w+ )?(?:hours?|minutes?|days?))\b",
    rf"\b(?:until|till) (?:i|he|she|we|you|it|lunch|noon|midnight|tonight|tomorrow|further|five|"
    rf"six|seven|four|three|two|one|\d{{1,2}}(?::\d\d|am|pm| am| pm)|the (?:build|ci|fix|deploy|"
    rf"pipeline|meeting|call|migration|server|cluster|bisect|rebase|incident)|(?:next |"
    rf"this )?{DAY}|\w+ is (?:back|done))\b",
    r"\b(?:in the middle of|while (?:i'm|we're|you're|he's|she's|they're)|while the \w+ is)\b",
    r"\b(?:only|just) for (?:this|the)\b|\bbefore (?:lunch|the meeting|the call|i leave|noon)\b",
    r"\bon hold\b|\bstop ?gap\b|\bi'll (?:throw|take|remove|revert|undo|change|fix|put) (?:that|"
    r"it|this)\b",
)
_STATUS = pattern(
    r"^(?:ok |so |and |hm+ |just |finally |also |now )*(?:just|finally|all) (?:\w+ed|got|ran|"
    r"done|green|good|set|fine|clear|finished|in|went|pushed|rebased)\b",
    r"\bi(?:'ve| have)? (?:just |already |finally |also |only |even |now |since |"
    r"quickly )*(?:merged|moved|pushed|rebased|fixed|tried|deployed|ran|updated|added|removed|"
    r"deleted|closed|opened|finished|forgot|forgotten|remembered|checked|changed|restarted|"
    r"reverted|went|saw|noticed|pasted|renamed|bumped|cleaned|merged|installed|took|tested|"
    r"looked|found|asked|dropped|ended up|managed to|missed|got (?:rid|it|the|this|that|a)|made|"
    r"put|gave|sent|wrote (?:it|the|a|that|this|above)|turned|realised|realized|read (?:it|the|"
    r"this|that|through)|set up|rolled)\b",
    r"\b(?:slipped|didn't happen|never happened|fell through)\b|\b(?:plan|idea|goal|"
    r"deadline) was\b",
    r"\bi had (?:forgotten|to|a|the|it)\b",
    r"\b(?:is|are|'s|(?<!you)'re|was|were|came|went|comes|turned|stays) (?:all |now |back |"
    r"still |finally |already )*(?:green|red|quiet|clean|done|fixed|through|broken|flaky|"
    r"passing|failing|merged|deployed|finished|back up|up again|down again)\b(?! by\b)",
    r"\bmust(?:'ve| have| be (?:fine|something|the|a|because|some|somewhere|wrong|right|"
    r"missing))\b(?!.*\b(?:by|before)\b)",
    r"\bnever (?:\w{2,}ed|got|went|lost|came|had|was|were|made|saw|took|found|shrank|ran|even|"
    r"once|came)\b(?<!never need)(?<!never embed)(?<!never feed)",
    r"\b(?:didn't|hasn't|haven't|wasn't|weren't) (?:\w+ )?(?:fire|fired|fail|failed|work|crash|"
    r"show|break|help|change|find|finish\w*|even|complain\w*|appear)\b",
    r"\bnobody (?:complained|noticed|\w+ed)\b",
    r"^(?:the|our|that) (?:[\w-]+ ){0,2}(?:build|deploy|deployment|migration|pipeline|tests?|"
    r"suite|ci|rollback|incident|canary|nightly|linter|emulator|shards?|refactor|branch|script|"
    r"server|job|fix|upload|import|sync|query|page|app|screen)(?: (?:finished|passed|failed|"
    r"went|is (?:still|now|back|up|down|red|fine|running)|was|came|took|crashed|ran|looks?|"
    r"seems?|still|started|stopped|landed|compiled|worked|works|hangs?|"
    r"has (?:been )?(?:finished|passed|failed|picked|started))|'s (?:closed|done|back|up|"
    r"down))\b",
    r"\bstill (?:says|shows|fails|broken|red|there|failing|hangs|crashes|doesn't|isn't|the same|"
    r"there)\b",
    r"\b(?:went green|gone green|went through|came back|as you asked|as requested|what you said|"
    r"you asked for|worked fine|turns out|turned out|good news|bad news|almost done|so far)\b",
)
_DERIVABLE = pattern(
    r"\bi(?:'ve| have) (?:already|just) (?:pushed|merged|fixed|deployed|changed|updated|done|"
    r"sent|reverted)\b",
    r"^(?:as|like) \S+ (?:says|shows|states|already)\b|\b(?:as )?you can (?:see|tell)\b|"
    r"\bsee the pattern\b",
    r"^(?:it |that |this )?(?:looks|seems|appears) (?:like|as|to|that)\b|\bi (?:can |"
    r"do )?(?:see|notice) (?:that|there|you|we|it|they|the|every|all)\b",
    r"^(?:apparently|judging|going by|reading (?:the|through)|looking at|from what i)\b|"
    r"^(?:from|according to|per) (?:the |our )?(?:log|logs|code|diff|history|git|changelog|"
    r"blame|source|readme|repo|package\.json|dockerfile|commits?)\b",
    r"^in (?:the|our) (?:log|logs|diff|history|git|source|repo|package\.json|dockerfile)\b",
    r"\bgit (?:blame|log|history)\b|\b(?:right |it's )?there in the\b|"
    r"\bit's (?:right )?(?:there|in the (?:code|readme|repo|file|last|first|config))\b|(?:there|"
    r"that's|it's|is) in the (?:last|first|second) line\b",
    r"^(?:the |our )?(?:[\w-]+\.(?:json|toml|ya?ml|lock|mod|gradle|xml|cfg|ini|md|rst|py|ts|js|"
    r"go|rs|c|h|java|kt)|dockerfile|makefile|readme|tsconfig|lockfile|code|comment|docstring|"
    r"class|function|constructor|schema|codebase) (?:says?|starts?|has|sets|pins|defines|"
    r"already|uses|imports|extends|lies|lists|returns|takes|throws|calls|inherits|implements|"
    r"requires|declares)\b",
    r"^(?:all|every|each)(?: of)?(?: the| these)? (?:[\w-]+ ){0,2}(?:class(?:es)?|handlers?|"
    r"reducers?|functions?|methods?|files?|components?|models?|controllers?|services?|modules?|"
    r"endpoints?|routes?|structs?|packages?|tables?) (?:in|under|inside|from|of) \S*[/._]",
    r"\b(?:extends|inherits from|implements|re-exports|is a subclass|is declared|gets injected|"
    r"in its constructor|in the constructor|is called from|calls into)\b",
    r"\b(?:the|every|each) (?:\w+ )?(?:commit|file)s? (?:that )?(?:touched|starts? with|was|"
    r"were)\b",
)
_OTHERS = pattern(
    r"\b(?:he|she|someone|somebody|people|folks|guy|reviewer|article|docs?|documentation|ticket|"
    r"error|message|blog|book|tutorial|guide|handbook|linter|compiler|clippy|shellcheck|eslint|"
    r"mypy|spec|comment|stack ?overflow|chatgpt|copilot|intern|vendor|candidate|"
    r"customer) (?:says?|said|claims?|thinks?|wrote|writes|suggests?|suggested|recommends?|"
    r"recommended|warns?|moans?|complains?|told|asked|mentioned|swears|reckons|argues|"
    r"keeps (?:saying|telling))\b",
    r"\b(?:ad|posting|listing|email|mail|letter|report|scanner|contract template|faq|footer|boss|"
    r"manager|lead|"
    r"architect|support|neighbou?r|speaker|author|professor|recruiter|colleague|friend|uncle bob|"
    r"former [\w-]+|old [\w-]+|next door) (?:\w+ )?(?:says?|said|claims?|swears?|insists?|"
    r"insisted|demands?|"
    r"demanded|asks? us|asked us|told (?:me|us)|tells (?:me|us)|argues?|preaches|recommends?|"
    r"wants us)\b",
    r"\b(?:they|he|she|someone|people) (?:said|say|claim|claimed|swear|insist)\W*$|"
    r"^(?:[\w-]+ ){0,2}(?:report|"
    r"scanner|linter|warning|notice|email|footer): ",
    r"^(?:and |but |so )?(?:the|our|their|some|an?) (?:[\w-]+ )?(?!contract|licen[cs]e|law|"
    r"agreement|"
    r"policy|sla|nda|regulat|legal|who|i |we |you )[\w-]+ (?:says|said|claims|claimed|reckons|"
    r"thinks|"
    r"tells us|told us|mentioned|proposes|proposed|suggests|warns)\b",
    r"^(?:the |this |that |an? )?(?:[\w-]+ )?(?:article|post|book|paper|talk|video|tutorial|blog|"
    r"page|manual|course|"
    r"podcast|thread|answer|guide) (?:\w+ )?(?:mentions?|notes?|says?|explains?|recommends?|"
    r"argues?|states?|suggests?|"
    r"warns?|advises?|claims?)\b",
    r"\b(?:tender|rfp|competitors?|rival|other (?:team|company|vendor)s?|"
    r"team next door)\b.{0,40}\b(?:requires?|required|"
    r"demands?|demanded|never|always|must|bans?|banned)\b|\bwe (?:didn't|did not) (?:bid|apply|"
    r"agree|sign up|take part)\b",
    r"\b(?:that was for|meant for|confus\w+ us with|sent (?:it )?to the wrong|"
    r"doesn't apply to us|nothing to do "
    r"with us)\b",
    r"^(?:apparently|rumou?r has it|supposedly|allegedly|i (?:read (?:that|somewhere|online|in)|"
    r"heard|saw|was told) )\b",
)

_SPECIFIC = pattern(
    r"(?<!\bfrom )\bhere\b(?!:)(?! (?:we|is|are)\b)",
    r"\bthis\b(?! (?:project|repo|repository|codebase|code base|team|company|product|way|kind|"
    r"sort|order|style|app|package|library|applies|goes|is (?:an? (?:\w+ )?(?:project|hobby|"
    r"rule)|general|(?:my|the) (?:first|second)))\b)",
    r"\b(?:that|these|those) (?:one|file|function|bullet|regex|table|test|tests|second|first|"
    r"last|list|helper|line|lines|change|changes|commit|branch|bug|part|section|paragraph|log|"
    r"button|endpoint|component|class|method|query|edit|spec|job|script|page|slide|chart|"
    r"variable|field)\b",
    r"\bthe (?:first|second|third|last|other|previous|next|left|right|blue|red) one\b|"
    r"\b(?:prefer|take|like|want|love) (?:option|variant|version|approach|solution|number) \w+|"
    r"\b(?:prefer|take|like|want|love) the (?:first|second|third|last|other|previous|latest|"
    r"left|right|blue|red|old|new|current)\b",
    r"\bi(?:'d| would)? prefer (?:an? [\w-]+ (?:for|in|on|here|there|instead)|the|it|"
    r"to keep (?:the|it)|that)\b|\bprefer .*\bfor (?:that|this|it)\W*$",
    r"\b(?:yours|hers|theirs)\W*$|\byour (?:first|second|third|last|previous|latest|suggestion|"
    r"proposal|version|idea|solution|fix)\b",
    r"\b(?:let's|lets)\b(?! (?:not|never|always|keep|stick)\b)",
    r"\b(?:you|i) just \w+ed\b|\bjust (?:made|generated|wrote|added|created|sent)\b",
    r"\b(?:line|lines|section|page|step|row|item|issue|pr|ticket|slide|figure) ?#?\d+\b|#\d+\b",
    r"\bi'm (?:piping|pasting|feeding|sending|copying|importing|demoing|presenting|about to|"
    r"in the middle|"
    r"going to (?:paste|pipe|feed|send))\b|\bi'll (?:do|handle|fix|push|commit|"
    r"take care of) (?:it|that|this|the rest|"
    r"them) (?:later|myself later|tomorrow|after|tonight)\b|\b(?:leave|keep) (?:everything else|"
    r"the rest|all else)|"
    r"\bin the list\W*$|\bbefore the (?:demo|call|meeting|"
    r"show|presentation)\b(?!.*\b(?:every|each|always)\b)|"
    r"\bwhile you're\b|\banything else\b|\bwhen you're (?:done|finished|ready|through)\b|"
    r"\bonce (?:you're|that's)\b|\bat the (?:bottom|top) of (?:it|the)\b|\b(?:above|"
    r"below)\b\W*$|\byet\W*$",
)
_LEADING = r"(?:(?:please|just|then|now|also|and|so|don't|dont|always|but|maybe|first) )?"
# Words that point back count in an instruction only: "put it in there", not "our data stays in it".
_POINTING_BACK = pattern(
    rf"^{_LEADING}(?:{VERBS}|don't|dont|stop)\b.*\bthe (?:first|second|third|last|other|"
    rf"previous|next|latest|failing|broken|flaky|above|below|remaining|current|following|"
    rf"attached|left|right|blue|red|missing|wrong|stale|unused|changed) (?!(?:year|month|week|"
    rf"quarter|few|two|three)\b)"
    rf"[\w-]+",
    rf"^{_LEADING}{VERBS} (?:\w+ ){{0,2}}?(?:these|those|it|them|that(?=\W*$|,| (?:to|into|in|"
    rf"from|out|with|for|back|instead|up|down)\b))\b(?! (?:way|any ?time|each time|every time|"
    rf"whenever|kind|sort|i|you|we|are|is|go(?:es)?|touch\w*|needs?|\w+s\b))",
    r"^(?:and )?(?:don't|dont|do not) (?:forget to )?(?:touch|change|rename|delete|remove|move|"
    r"edit|break|miss|include|translate|modify|drop|alter|lose|merge|close|wait) (?:the|"
    r"any of the|my|its|their|for)\b(?!.*\b(?:ever|without|unless|yourself|when|whenever|"
    r"again)\b)",
    rf"^{_LEADING}(?:{VERBS}|don't|dont|stop)\b.*\b(?:in here|(?:in |right |"
    rf"over )?there)\b(?! (?:is|are|'s)\b)",
    rf"^{_LEADING}(?:{VERBS}|don't|dont|stop)\b[^,;]*(?:\b(?:in|from|of|on|with|at|for|to|into|"
    rf"under) (?:it|them|these|those)\b|\b(?:once more|again|back|as well|too)\W*$)(?!,? not\b)",
)
_DEFINITE = pattern(
    rf"^{_LEADING}{VERBS}\b.*\b(?:the|my|its|their) (?!{ROLE_NOUNS}\b)\w",
    r"^(?!(?:in|on|at|for|of|by|with|from|after|before|all|and|but|so|when|if|only|since|until|"
    r"not|no|to|under|"
    r"over|during|is|use|never|always|both|than|except|unlike|per|via|"
    r"like)\b)[a-z]+ the [\w-]+(?: [\w-]+)?, ",
    r"[\w/-]+\.(?:py|ts|tsx|js|go|rs|c|h|cpp|java|kt|rb|md|json|ya?ml|toml|sql|sh|css|html)\b|"
    r"\w+\(\)",
    rf"^{_LEADING}{VERBS}\b.*\band (?:then )?(?:show|send|update|run|fix|remove|delete|push|"
    rf"commit|paste|rename|merge|report back|deploy)\b",
)
_IDENTIFIER = pattern(r"\b[a-z]{2,}[A-Z][a-z]\w*(?<!macOs)")
_TASK = pattern(
    rf"^{TASK_VERBS}\b(?! (?:out|on|with|of|names?)\b)",
    r"^i(?:'m| am)? (?:need|want|trying|have|going|would like|'d like) to (?!(?:see|know|"
    r"approve|be asked|review|decide|sign|justify)\b)\w+",
    r"^make sure (?:the|it|that (?:the|it)|this|all)\b|^add (?:[\w-]+:|validation|support|"
    r"logging|tests?\b(?! (?:for|to) (?:every|each|any)))",
    r"^(?:can|could|would|will) you\b|(?:.*\b)?(?:let's|lets)\b|^(?:i need|i want|"
    r"i'd like) you to\b(?!.*\b(?:before|whenever|every|each|always|when|if)\b)|^(?:go ahead|"
    r"go through|have a look|give it|do it|make it|run the|run it|run `|write me|give me a|"
    r"show me (?:the|how|what|a|where)|send me|make me|tell me|add (?:a|an|the|it|that|some|"
    r"one)\b|list the|open the|open a|start (?:the|a|with the)|put (?:it|that|the|a|this|them)|"
    r"sort (?:the|that|it)|set (?:the|it|up)|check (?:the|if|whether|why)|format (?:the|it|"
    r"that)|try (?:the|it|that|again)|use the|prefer the|pick the|test (?:the|it)|write (?:a|an|"
    r"the|it)\b|make (?:the|a|it|that|this)\b|keep (?:it|going|that|the (?:old|current|existing|"
    r"first|rest))|leave (?:the|it|that|this|a) |split (?:the|it|that)|wrap (?:the|it|that)|"
    r"group (?:the|it)|compare (?:the|it)|explain (?:the|it|that)|document (?:the|it|that)|"
    r"comment (?:the|it|that)|log (?:the|it|that)|do (?:the|a)\b|say that|return (?:the|a|it)|"
    r"drop (?:the|it|that)|commit (?:the|it|that)|cover (?:the|it|that))",
)

# The order at the end of "Anna says the export broke, can you check".
_THEN_TASK = pattern(
    rf"[,;:–—-] (?:and |so |then |now |please |just |also )*(?:(?:can|could|would) you\b|"
    rf"go ahead\b|{TASK_VERBS} (?:the|an?|it|them|this|that|out|which|what|all)\b|(?:write|make|"
    rf"use|add|change|give|put|set|list) (?:the|an?|it|them|me an?|this|"
    rf"that)\b(?! (?:licen[cs]e|reason|why|end|ticket|name|source)))",
    r"\bplease (?:implement|adapt|update|fix|check|add|change|remove|look)\b",
)
_ROLE_HERE = pattern(rf"\b{ROLES} here\b")


def is_refused(text: str) -> bool:
    """Whether the sentence is a question, a hypothesis, small talk, a status report or such."""
    return (
        temporary_word(text) is not None
        or _QUESTION.search(text) is not None
        or _TEMPORARY.search(text) is not None
        or _SMALL_TALK.search(text) is not None
        or _HYPOTHETICAL.search(text) is not None
        or _DERIVABLE.search(text) is not None
        or _OTHERS.search(text) is not None
    )


def is_status(text: str) -> bool:
    """Whether the sentence tells what just happened in the work at hand."""
    return _STATUS.search(text) is not None


def is_about_one_thing(text: str) -> bool:
    """Whether the sentence points at something at hand: this, here, the second one, line 3."""
    text = _ROLE_HERE.sub(" ", text)
    return _SPECIFIC.search(text) is not None or _POINTING_BACK.match(text) is not None


def is_definite(text: str, spoken: str) -> bool:
    """Whether an order names a thing of its own (the parser, fetchUser) and not a kind.

    `spoken` is the same text with its capitals.
    """
    return _DEFINITE.search(text) is not None or _IDENTIFIER.search(spoken) is not None


def is_task(text: str) -> bool:
    """Whether the sentence asks for one piece of work."""
    return _TASK.match(text) is not None or _THEN_TASK.search(text) is not None
