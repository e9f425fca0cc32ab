"""How English sentences tell an agent to behave, the surest wording apart from the rest.

Invariant: every expression reads lower-case text from `en.prepared`.
"""

from __future__ import annotations

from memtui.engine.plans.extraction.en_family import Families, Family
from memtui.engine.plans.extraction.en_words import (
    ARTEFACTS,
    HOW_VERBS,
    STYLE,
    VERBS,
    pattern,
)

_INSTRUCTION = (
    r"(?:please |pls |then |just |do |always |never |rather |simply |at least "
    rf"|first )*(?:{VERBS}|don't|dont"
    r"|do not|never|always|no|you (?:must|should|can|may|need|have))\b"
)
_GENERIC_SUBJECT = (
    rf"(?:{ARTEFACTS}\b|(?:every|each|any|all|no|most|both|a|an) [\w-]+(?: [\w-]+){{0,8}}?"
    r"|whatever|anything"
    r"|everything|nothing|nobody|no one|noone|whoever|anyone|everyone|everybody|things that|stuff"
    r"|[\w-]{3,}(?<!is)(?<!as)(?<!us)s)"
)

SURE_FEEDBACK: Families = (
    Family(
        "always / never",
        "feedback",
        pattern(
            r"^(?:please |pls |and |but |you (?:must |should )?)*(?:always|never ever|never"
            r"|under no circumstances)"
            r" (?!(?:mind|again\W*$|a|an|the|been|had|thought|dull)\b)\w+",
            r"(?:[,;:.)(–—-] ?|\b(?:please|and|but|should|must|you|can) )(?:always|never)(?: ever)?"
            rf" (?:please )?(?:{VERBS}|touch|edit|assume|guess|invent|rely|trust|hardcode"
            r"|hard-code|mock|import)\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "prohibition",
        "feedback",
        pattern(
            r"^(?:please |pls |and |just |so |also |you )*(?:do not|don't|dont|don t|stop|quit"
            r"|avoid|refrain from"
            r"|no more|never again|cut (?:out )?the|enough (?:of|with)|no need (?:to|for)"
            r"|hands off|steer clear of"
            r"|keep away from|lay off)(?: ever| you)? (?!(?:worry|bother|forget|wait|merge yet"
            r"|you|miss|know|think"
            r"|panic|be|get me|go)\b)[\w`\"'-]+",
            r"^(?:please |pls )?(?:do not|don't|dont) (?:ever |be |forget to |go |bother (?:with"
            r"|adding|explaining))",
            r"\b(?:don't|dont|do not|doesn't) (?:want|need|like|care for"
            r"|care about)(?: you)?(?: to)?(?: see| have| read| get)?"
            r" (?:any|more|your|emoji\w*|comments?|\w+ing\b|\w+s\b)",
            r"^no (?!(?:one|idea|clue|worries|problem|rush|need|luck|thanks|that|this|it|i|we|you"
            r"|wait|the|more)\b)"
            r"[\w`\"/'-]+(?: [\w`\"/'-]+){0,4}(?:,? (?:in|on|at|for|without|anywhere|ever|unless"
            r"|please|from|outside"
            r"|no|and|or|until|after|before)\b|\W*$|[,;:.])",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "from now on",
        "feedback",
        pattern(
            r"\b(?:from now on(?:wards?)?|going forward|in (?:the )?future|from here on"
            r"|henceforth|for future"
            r" reference|by default|as a (?:general )?rule|every time|each time|any ?time"
            r"|at all times"
            r"|without (?:asking|exception|checking with me)|no exceptions?|no matter (?:what|how"
            r"|which)"
            r"|unless (?:i|we|you|it|there)|same goes for|across the board|until i say"
            r"|once and for all)\b"
            r"(?!.*\b(?:was|were|had)\b)",
        ),
        may_be_specific=True,
        may_be_task=True,
    ),
    Family(
        "when … then",
        "feedback",
        pattern(
            r"^(?:when(?:ever)?|if|before|after|unless|while|in case|as soon as|each time"
            r"|every time|any ?time|once|where)"
            r" (?:you|you're|i|i'm|we|a|an|any|anything|something|someone|somebody|nobody|there"
            r"|there's|in doubt|unsure"
            r"|two|more than|no|none|\w+ing|[\w-]+s)\b.*(?:, ?|\b(?:messages?|names?|tests?|code"
            rf"|docs|\w+s) ){_INSTRUCTION}",
            r"^(?:in case of|in|for|with|on) doubt\b|^(?:when|if) (?:in doubt|unsure|not sure"
            r"|stuck)\b",
            rf"^(?:please )?{VERBS}\b.*\b(?:when(?:ever)? (?:you|i|a|an|there|something|anything)"
            r"|before (?:you|\w+ing)"
            r"|if (?:you|a|an|something|anything|there|in doubt|unsure)|instead of \w+ing"
            r"|rather than \w+ing)\b",
        ),
        may_be_specific=False,
    ),
    Family(
        "correction",
        "feedback",
        pattern(
            r"^(?:no|nope|wrong|not quite)(?: again)?[,:;. –—-]+(?:it's|not|the \w+ (?:is|are)|we"
            r"|use|don't|always|never"
            r"|in (?:this|our))\b.*",
            r"^you (?:keep|always|constantly|still keep|tend to|never) (?:on )?\w+",
            r"\bi(?:'ve| have)? (?:told you|said|asked you|had it with|had enough of"
            r"|keep having to|keep telling you)\b",
            r"^(?:yes|yep|yeah|exactly|perfect|great|good|right)\b.*\b(?:how i (?:want|like)"
            r"|like that|that way|stick"
            r" (?:with|to)|keep (?:doing|it)|every time|each time|more of)\b",
            r"^(?:that's|this is) (?:exactly )?how (?:i|we) (?:want|like|do)\b",
            r"^(?:good|great|nice) call\b.*\b(?:asking|splitting|keep|\w+ing)\b.*$",
            r"^(?:keep|do) (?:doing|it|that) (?:so|that|this|like that|that way|each|every|any)\b"
            r"|^stick (?:with|to) (?:it|that)"
            r"\b(?:.{0,20})$|^more of that\b",
            r"\bis (?:spelled|spelt|written|called|pronounced)\b",
        ),
    ),
)

FEEDBACK: Families = (
    Family(
        "rule about …",
        "feedback",
        pattern(
            # "Whatever touches money uses cents", "a component without labels isn't finished"
            rf"^{_GENERIC_SUBJECT}(?: .*?)?,? (?:must|mustn't|should|shouldn't|has to|have to"
            r"|needs? to|need|needs|may not|may only"
            r"|can't|cannot|gets?|go(?:es)?|go|belongs?|stays?|uses?|starts?|ends?|comes?|takes?"
            r"|carr(?:y|ies)|follows?|talks?|touch(?:es)?"
            r"|counts?|is not|isn't|aren't|are not|(?:is|are) (?:always|never|only|to be|not"
            r"|forbidden|banned|out|mandatory|required"
            rf"|{STYLE}))\b",
            r"^(?:nobody|no one|only) (?:but |except )?(?:\w+ ){1,3}(?:may|can|gets?|talks?"
            r"|touch(?:es)?|should|is allowed|merges?"
            r"|deploys?|sends?)\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "format or style",
        "feedback",
        pattern(
            rf"^(?:[\w'-]+ ){{0,3}}?{ARTEFACTS}(?: (?:in|for|of|on|from|with) [^:,]{{2,40}})?: ?\S",
            rf"\b{STYLE}\b.*\b(?:in|for|on|inside|within) (?:the |all |any |our |your |every "
            r"|user-facing |public |internal )*"
            rf"(?:[\w-]+ )?{ARTEFACTS}\b",
            rf"^(?:[\w'-]+ ){{0,2}}?{ARTEFACTS}\b(?! (?:is|are|was|were|has|have) (?:now|broken"
            rf"|missing|wrong))[^.]{{0,60}}\b{STYLE}\b",
            r"^(?:plain|short|small|terse|british|american|metric|lower-?case"
            r"|upper-?case) [\w -]{2,40}\b(?:in|for|on|only|please|always)\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
    Family(
        "how to work",
        "feedback",
        pattern(
            rf"^(?:please |pls |just |and |so )*{HOW_VERBS} (?!(?:the|this|that|it|them|these"
            r"|those|him|her|on|up|a|an)\b)[^.]*"
            rf"\b(?:{ARTEFACTS}|{STYLE}|everywhere|anywhere|only|as you would|any|every|each|all"
            r"|first|over|rather|instead)\b",
            r"^(?:please |pls )*(?:keep|write|put|use|answer|name|start|end|leave|make sure"
            r"|format|prefix) (?:the |a |an |all |your |every |each |any )?"
            rf"(?:\w+ )?{ARTEFACTS}\b(?=.*\b(?:{STYLE}|under|below|at the|at most|per|next to|in"
            r"|short|out|with|without|instead|before|first)\b)",
            r"^(?:for|in|on|with) (?:anything|everything|any|all|every|each"
            rf"|(?:\w+ )?{ARTEFACTS})\b.*(?:, | ){_INSTRUCTION}",
            r"^(?:talk|speak|write|answer|explain|reply|respond) (?:to me |things )?(?:as|like"
            r"|in) (?!(?:this|that|the)\b)",
            r"^i (?:want|expect|need|like) (?:to (?:see|know|hear|approve|review)|every|all|each"
            r"|any|you to (?:always|never|ask|tell|stop|check)"
            r"|(?:\w+ )?" + ARTEFACTS + r"\b)",
            r"\b(?:i|we) (?:always|never|usually|generally|normally|typically"
            r"|only ever) (?!(?:get|got|have|will|forget)\b)\w+",
            r"\byou (?:must|should|need to|have to|may|can|mustn't|shouldn't"
            r"|are (?:not )?allowed to|needn't|don't (?:need|have) to)"
            r" (?:always|never|not|only|ask|tell|check|run|assume|skip)\b",
        ),
        may_be_specific=False,
        may_be_task=False,
    ),
)
