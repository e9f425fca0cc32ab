"""How English sentences tell an agent to behave, the surest wording apart from the rest.

Invariant: every expression reads lower-case text from `en.prepared`.
"""

from __future__ import annotations

from memtui.engine.plans.extraction.en_family import Families, Family
from memtui.engine.plans.extraction.en_words import (
    ARTEFACTS,
    DEV_ARTEFACTS,
    FORBIDDEN,
    HOW_VERBS,
    STYLE,
    VERBS,
    pattern,
)

_PLEASE = r"(?:please |pls |just |and |so |also |but |kindly )*"
_INSTRUCTION = (
    rf"(?:please |pls |then |just |do |always |never |rather |simply |at least |"
    rf"first )*(?:{VERBS}|don't|dont|do not|never|always|no|you (?:must|should|can|may|need|"
    rf"have))\b"
)
_KIND = (
    rf"(?:the |our |your |public |new |all |every |each |any |a |"
    rf"an )*(?:[\w'/-]+ )?{DEV_ARTEFACTS}"
)
_GENERIC_SUBJECT = (
    rf"(?:(?:our |your |public |new |internal |shared |deprecated |"
    rf"generated )*{DEV_ARTEFACTS}\b|(?:every|each|any|all|no|both|a|an) (?!the |"
    rf"of )(?:[\w-]+ ){{0,2}}?{DEV_ARTEFACTS}\b|the (?:commit|pr|changelog|readme|ticket|review|"
    rf"release)(?: [\w-]+)?|whatever|anything|everything|nothing|nobody|no one|noone|whoever|"
    rf"things that|stuff)"
)
_NORM = (
    rf"(?:must|mustn't|should|shouldn't|has to|have to|needs? to|needs?|may not|may only|can't|"
    rf"cannot|gets?|describes?|explains?|states?|go(?:es)?|belongs?|stays?|uses?|starts? with|"
    rf"ends? with|comes? with|carr(?:y|ies)|follows?|talks?|touch(?:es)?|counts?|(?:is|"
    rf"are) (?:always|never|only|to be|(?:absolutely |strictly )?{FORBIDDEN}|{STYLE}))\b"
)
_LASTING = (
    r"(?:every time|each time|every single time|any ?time|at all times|without (?:asking|"
    r"exception|checking with me)|no exceptions?|no matter (?:what|how|which)|unless (?:i|we|"
    r"you|it|there)|by default|as a (?:general )?rule|across the board|until i say|"
    r"once and for all|no questions asked|whenever)"
)

SURE_FEEDBACK: Families = (
    Family(
        "always / never",
        "feedback",
        pattern(
            r"^(?:please |pls |and |but |you (?:must |should )?)*(?:always|never ever|never|"
            r"under no circumstances) (?!(?:mind|again\W*$|a|an|the|been|had|thought|"
            r"dull)\b)\w+",
            rf"(?:[,;:.)(–—-] ?|\b(?:please|and|but|should|must|you|can) )(?:always|"
            rf"never)(?: ever)? (?:please )?(?:{VERBS}|touch|edit|assume|guess|invent|rely|"
            rf"trust|hardcode|hard-code|mock|import)\b",
            r"[,;] (?:always|(?:and )?never [\w-]+)(?:\W*$|,)",
            r"^(?!(?:the|this|that|it|he|she|i|my|we|they|you|there)\b).*\b(?:never|"
            r"always) (?!(?:fails|breaks|crashes|works|returns|throws|gets|takes|says|wins|"
            r"writes|passes|runs|was|is|does|goes|comes|has|stops|ends|needs)\b)\w{3,}s\b",
            r": (?:always|never)(?: ever)? do (?:that|so|it)\b|\bnever do that\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "prohibition",
        "feedback",
        pattern(
            rf"^{_PLEASE}(?:you )?(?:do not|don't|dont|don t|stop|quit|avoid|refrain from|"
            rf"no more|never again|cut (?:out )?the|enough (?:of|with)|no need (?:to|for)|"
            rf"hands off|steer clear of|keep away from|lay off)(?: ever| you)? (?!(?:worry|"
            rf"bother|forget|wait|merge yet|you|miss|know|think|panic|be|get me|go|see|"
            rf"understand|have)\b)[\w`\"'/-]+",
            rf"^{_PLEASE}(?:do not|don't|dont) (?:ever |be |go |bother (?:with|adding|"
            rf"explaining))",
            r"^you(?:'re| are) not to\b|^i don't (?:need|want) an? .*, i (?:need|want)\b",
            r"\b(?:don't|dont|do not|doesn't) (?:want|need|like|care for|"
            r"care about)(?: you)?(?: to)?(?: see| have| read| get)? (?:any|more|your|emoji\w*|"
            r"comments?|\w+ing\b|\w+s\b)",
        ),
        may_be_specific=False,
        may_be_task=False,
        may_be_status=True,
    ),
    Family(
        "prohibition",
        "feedback",
        pattern(
            r"^no (?!(?:one|idea|clue|worries|problem|rush|need|luck|thanks|that|this|it|i|we|"
            r"you|wait|the|more)\b)[\w`\"/'-]+(?! (?:\w+ed|ran|came|was|were|is|are|has|had|"
            r"found|left|yet|so far)\b)(?: [\w`\"/'-]+){0,4}(?:,? (?:in|on|at|for|to|without|"
            r"anywhere|ever|unless|please|from|outside|no|and|or|until|after|before)\b|\W*$|"
            r"[,;:.])",
            r"\b(?:is|are) (?:absolutely |strictly )?(?:forbidden|banned|taboo|off[ -]limits|"
            r"prohibited|a no-go)\b",
            r"\bi (?:reject|send back|won't (?:merge|accept|review|read|take)|don't (?:merge|"
            r"accept|review|take)|refuse to)\b",
            r"\b(?:doesn't|don't|does not|do not) belong in\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "from now on",
        "feedback",
        pattern(
            r"\b(?:from now on(?:wards?)?|going forward|in (?:the )?future|from here on|"
            r"henceforth|for future reference|same goes for|for next time|(?:keep|bear) (?:that|"
            r"this|it) in mind)\b(?!.*\b(?:was|were|had)\b)",
            rf"^{_PLEASE}{_INSTRUCTION}.*\b{_LASTING}\b|^you (?:don't|do not|needn't|can|"
            rf"may)\b.*\b{_LASTING}\b",
            rf"\b{_LASTING}\b.*(?:,|\bplease\b) ?{_INSTRUCTION}",
        ),
    ),
    Family(
        "when … then",
        "feedback",
        pattern(
            rf"^(?:when(?:ever)?|if|before|after|unless|while|in case|as soon as|each time|"
            rf"every time|any ?time|once|where) (?:you(?! (?:click|press|tap|scroll|hover|drag|"
            rf"log in|have (?:time|a minute|questions)))|you're|i|i'm|we|(?:a|an|"
            rf"any)(?! (?:new )?(?:customer|user|player|admin|visitor|guest|member|buyer|client|"
            rf"request|event|message|order|upload|button)\b)|anything|something|someone|"
            rf"somebody|nobody|there|there's|in doubt|unsure|two|more than|no|none|\w+ing|"
            rf"[\w-]+s)\b.*(?:, ?|\b(?:messages?|names?|tests?|code|docs|\w+s|me|it|"
            rf"one) ){_INSTRUCTION}",
            r"^(?:when(?:ever)?|if|before|after|any ?time|every time|each time|unless) (?:you|"
            r"you're|\w+ing)\b(?! (?:click|press|tap|scroll|hover|drag|log in|have (?:time|"
            r"a minute|questions)))[^,]*, (?!(?:i|it|its|the|we|they|he|she|there|nothing|"
            r"everything|that|this|what|why|how|an?|my|our|all|some|you|\w{2,}ing|\w+s|but|and|"
            r"or|so|which|who|not)\b)\w+ ",
            r"^(?:before|after|when(?:ever)?) (?:you|\w+ing)\b.* (?:ask|check|verify|tell|warn|"
            r"show|run|stop|say|think|keep|put|leave|paste|mention|make sure)\b",
            rf"^(?:before|after|with|on|for|in|at) (?:every|each|any|all)\b.* {_INSTRUCTION}",
            rf"^(?:for|in|on|with) (?:anything|everything|any|all|every|each|"
            rf"(?:[\w-]+ ){{0,3}}?{ARTEFACTS})\b.*(?:, | ){_INSTRUCTION}",
            rf"^{_PLEASE}{HOW_VERBS}\b.*\bin (?:all |every |your |our )?(?:[\w-]+ )?(?:reports|"
            rf"summaries|commits|commit messages|prs|answers|replies|charts|docs|comments|logs|"
            rf"filenames|migrations)\b",
            rf"^(?:for|in) (?!the|this|that|my|a|an|now|general|"
            rf"case\b)[\w+#. -]{{2,30}}, .*\b(?:{STYLE}|no [\w-]+|not)\b",
            r"^(?:one|two|three|at most|at least|max(?:imum)?|no more than) .*\b(?:at a time|"
            r"per [\w-]+|each)\b",
            r"^assume (?:i|we|my [\w-]+) (?:know|have|can|understand|am|are|is)\b|"
            r"^let me (?:decide|choose|pick|approve|review|handle|merge|do)\b|^be (?:blunt|"
            r"brief|honest|specific|critical|explicit|concise|direct|strict|terse|skeptical|"
            r"sceptical|conservative|frank)\b|^make (?:small|short|atomic|separate|focused)\b",
            r"\bi(?:'ll| will)? (?:do|handle|run|make|write|merge|deploy|push|send|decide|"
            r"commit)\b.*\bmyself\b|\bget (?:that|it|this) right\b|^(?:the (?:assistant|agent|"
            r"bot) (?:should|must|may|can)|you (?:shouldn't|mustn't|(?:should|must|may|"
            r"can) (?:always|never|not|only)))",
            r"^(?:in case of|in|for|with|on) doubt\b|^(?:(?:when|if) )?(?:you're )?(?:in doubt|"
            r"unsure|not sure|stuck|uncertain),? ",
            r"^(?:if|when) the (?:spec|requirement|request|question|task|ticket|answer|result|"
            r"docs?|test|tests|wording|brief) (?:is|are|isn't|aren't|doesn't|seems?|looks?|"
            r"fails?|leaves?)\b.*\b(?:ask|say|tell|stop|show|flag|don't)\b",
            r"^(?:if|when(?:ever)?) (?:the|your|my) [\w-]+ (?:gets|is|fails|turns|looks|goes|"
            r"drops|changes|breaks|doesn't|isn't|takes|seems)\b[^,]*, (?:please )?(?:say|tell|"
            r"ask|stop|flag|warn|let me know|don't|admit|mention)\b",
            r"^(?:any|every|each|anything|whatever|all)\b.*, ?(?:please )?(?:show|ask|tell|"
            r"check|run|put|write|use|keep|mark|flag|leave|don't)\b",
        ),
        may_be_specific=False,
        may_be_status=True,
    ),
    Family(
        "when … then",
        "feedback",
        pattern(
            rf"^(?:please )?(?!(?:check|see|verify|find|test|look|let) (?:if|whether|"
            rf"when)\b){VERBS}\b.*\b(?:when(?:ever)? (?:you|i|a|an|there|something|anything)|"
            rf"before (?:you|\w+ing)|if (?:you|a|an|something|anything|in doubt|unsure)|"
            rf"instead of \w+ing|rather than \w+ing)\b",
        ),
        may_be_specific=False,
        may_be_task=False,
        may_be_definite=False,
    ),
    Family(
        "correction",
        "feedback",
        pattern(
            r"^(?:no|nope|wrong|not quite)(?: again)?[,:;. –—-]+(?:it's|not|the \w+ (?:is|are)|"
            r"we|don't|always|never|in (?:this|our))\b.*",
            r"^(?:no|nope)[,.:;]+ (?:use|write|keep|put) (?!the|this|that|it)\w+ (?:instead of|"
            r"not|over|and not|rather than)\b",
            r"^you (?:keep|always|constantly|still keep|tend to|never) (?:on )?\w+",
            r"\bi(?:'ve| have)? (?:told you|asked you|had it with|had enough of|keep having to|"
            r"keep telling you|keep saying)\b",
            r"^(?:yes|yep|yeah|exactly|perfect|great|good|right|there|here|"
            r"nice)\b.*\b(?:how i (?:want|like)|(?:exactly )?like (?:that|this)|that way|"
            r"stick (?:with|to)|keep (?:doing|it|to)|every time|each time|more of|"
            r"works (?:really )?well)\b",
            r"^(?:\w+, )?(?:that's|this is|thats) (?:exactly )?how (?:i|we|[\w-]+s?) (?:want|"
            r"like|do|should|expect|need|is|are)\b",
            r"^(?:good|great|nice) call\b.*\b(?:asking|splitting|keep|\w+ing)\b.*$",
            r"^(?:keep|do) (?:doing|it|that) (?:so|that|this|like that|that way|each|every|"
            r"any)\b|^stick (?:with|to) (?:it|that)\b(?:.{0,20})$|^more of (?:that|the same)\b",
        ),
        may_be_task=False,
    ),
    Family(
        "correction",
        "feedback",
        pattern(
            r"\bis (?:spelled|spelt|pronounced|written (?:with|as|without|"
            r"in one))\b(?!.*\bwhere\b)",
            r"\b(?:the word|the term) .{0,40}(?:doesn't|does not|isn't|never) (?:work|belong|"
            r"exist|okay|appears?)\b",
        ),
        may_be_task=False,
        may_be_specific=False,
        may_be_status=False,
    ),
)

FEEDBACK: Families = (
    Family(
        "rule about …",
        "feedback",
        pattern(
            # "Whatever touches money uses cents", "a component without labels isn't finished"
            rf"^{_GENERIC_SUBJECT}(?: .*?)?,? {_NORM}",
            r"^(?:a|an|any|every|no) (?:[\w-]+ ){1,3}?(?:without|that|which|with) .*\b(?:isn't|"
            r"is not|doesn't count|aren't|go(?:es)? out|gets|must|needs|has to|"
            r"will be rejected)\b",
            r"^(?:nobody|no one|only (?=(?:i|me|we|maintainers|the [\w-]+)\b)) ?(?:but |"
            r"except )?(?:\w+ ){1,3}(?:may|can|gets?|talks?|touch(?:es)?|should|is allowed|"
            r"merges?|deploys?|sends?)\b",
            r"^(?:[\w-]+ ){0,3}?(?:comments?|answers?|tests?|docs|commits?|names?|messages?|"
            r"logs?) (?:says?|explains?|states?|describes?|follows?|lives?|"
            r"go(?:es)?) (?!the same\b)\w+.*(?:,? not\b|\bnext to\b|\bwhy\b)",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "format or style",
        "feedback",
        pattern(
            rf"^(?!(?:the|this|that|these|those|my) )(?:[\w'-]+ ){{0,3}}?{ARTEFACTS}(?: (?:in|"
            rf"for|of|on|from|with) [^:,]{{2,40}})?: ?\S",
            rf"^(?!(?:in the|the|i|we|it|this|that|there|my|he|she|they|you|a|"
            rf"an)\b).*\b{STYLE}\b.*\b(?:in|for|on|inside|within) (?:the |all |any |our |your |"
            rf"every |user-facing |public |internal )*(?:[\w-]+ )?{ARTEFACTS}\b",
            rf"^(?!(?:in the|the (?!commit|pr|changelog|readme|docs)|this|that|my|i|we|it|"
            rf"all the)\b)(?:[\w'-]+ ){{0,2}}?{ARTEFACTS}\b(?! (?:is|are|was|were|has|"
            rf"have) (?:now|broken|missing|wrong))[^.]{{0,60}}\b{STYLE}\b",
            r"^(?:plain|short(?:er)?|small(?:er)?|terse|brief|british|american|metric|"
            r"lower-?case|upper-?case|longer|simpler|fewer|less|more) [\w -]{2,40}(?:\b(?:in|"
            r"for|on|only|please|always)\b|:)",
            rf"^{_KIND} (?:without|with|in|as|at|by|around|under|over|per) (?!.*\b(?:is|are|was|"
            rf"were|has|have|does|doesn't|fails?|breaks?|broke)\b)\w+",
        ),
        may_be_specific=False,
        may_be_task=False,
        may_be_definite=False,
    ),
    Family(
        "how to work",
        "feedback",
        pattern(
            # Verbs that tell a manner need only a kind of thing; those that also order a piece of
            # work need a word that makes it general.
            rf"^{_PLEASE}(?:use|keep|prefer|name|prefix|suffix|answer|reply|respond|talk|phrase|"
            rf"word|spell|treat|assume|stick|quote|limit|follow|favou?r|default|indent|"
            rf"capitali[sz]e|round|wrap|pin|sign|squash|call|address|refer|put|leave|state|"
            rf"respect|err|reuse|cite|mention|explain|ask|batch|split) (?!(?:the|this|that|it|"
            rf"them|these|those|him|her|on|up|a|an)\b)[^.]*\b(?:{ARTEFACTS}|{STYLE}|everywhere|"
            rf"anywhere|only|as you would|any|every|each|all|first|over|rather|instead|"
            rf"one at a time|by default)\b",
            rf"^{_PLEASE}{HOW_VERBS} (?:every|each|any) \w+",
            # An order that gives its reason is meant for more than once.
            rf"^{_PLEASE}(?:{HOW_VERBS}) (?!(?:me|this|that|it|them|these|those|a|"
            rf"an)\b)[^,]*(?:[,;] (?:because|since|otherwise|or|the|our|half|nobody|no one|they|"
            rf"people|some|most|it's|we're|i'm|it|we)\b|[ ](?:because|otherwise|"
            rf"so that)\b).*\b(?:is|are|has|have|don't|doesn't|can't|won't|\w+s)\b",
            r"^our [\w -]{3,30} (?:follow|use|are|stay|go|need|never|always)\b.*\b(?:please|"
            r"stick|so)\b",
            r"^(?:use|give|show|write|tell|log|prefer|"
            r"want) (?:me )?(?:[\w-]+ )?[\w-]+s, not [\w-]+|^log (?:at|as) ",
            rf"^{_PLEASE}write (?:[\w-]+ )?(?:scripts|docs|docstrings|comments|messages|sql|"
            rf"queries|migrations|answers|examples) (?:for|in|as|like|with)\b",
            rf"^{_PLEASE}(?!(?:add|set|make|have|do|open|try|run|go|pull|pick|choose|start|"
            rf"begin|list|show|give|tell|test) (?!.*\b(?:every|everywhere|anywhere|whatever|"
            rf"next to)\b)){HOW_VERBS} (?!(?:this|that|it|them|these|those|him|her|on|"
            rf"up)\b)(?!an? (?!.*\b(?:every|each|any|all|whenever)\b))[^.]*\b(?:{STYLE}|"
            rf"everywhere|anywhere|as you would|whatever|in general|over \w+ing|instead of|"
            rf"rather than|on every|for every|in every|with every|to every|next to|on numbers|"
            rf"only)\b",
            rf"^{_PLEASE}(?:keep|write|put|use|answer|name|start|end|leave|format|"
            rf"prefix) (?:the |all |your |every |each |"
            rf"any )?(?:\w+ )?{ARTEFACTS}\b(?=.*\b(?:{STYLE}|under|below|at the|at most|around|"
            rf"per|next to|in|short|out|with|without|instead|before|first)\b)",
            r"^prefer (?!the |this |that )\S+ (?:\S+ ){0,4}?(?:over|to|rather than|instead)\b",
            r"^(?:talk|speak|write|answer|explain|reply|respond) (?:to me |things |me )?(?:as|"
            r"like|in) (?!(?:this|that|the)\b)",
            rf"^i(?:'d)? (?:want|expect|need|like) (?:to (?:see|know|hear|approve|review)|every|"
            rf"all|each|any|you to (?:always|never|ask|tell|stop|check)|(?!an? |one |"
            rf"some )(?:\w+ )?{DEV_ARTEFACTS}\b)",
            r"\b(?:i|we) (?:always|never|usually|generally|normally|typically|"
            r"only ever) (?!(?:get|got|have|will|forget)\b)\w+",
            r"\byou (?:must|should|need to|have to|may|can|mustn't|shouldn't|"
            r"are (?:not )?allowed to|needn't|don't (?:need|have) to) (?:always|never|not|only|"
            r"ask|tell|check|assume|skip)\b",
            rf"^{_KIND} (?:are |is )?(?:calculated|computed|written|stored|formatted|named|kept|"
            rf"rounded|logged|wrapped|sorted|indented|validated) (?:in|as|with|by|to|at|"
            rf"without)\b",
        ),
        may_be_specific=False,
        may_be_task=False,
        may_be_definite=False,
    ),
)
