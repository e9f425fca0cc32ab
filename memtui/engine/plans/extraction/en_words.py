"""English vocabulary of the rules: alternations for regular expressions over lower-case text.

Invariant: word lists only, no decision.
"""

from __future__ import annotations

import re


def pattern(*alternatives: str) -> re.Pattern[str]:
    """One expression that matches where any of the alternatives does."""
    return re.compile("|".join(f"(?:{each})" for each in alternatives))


def _words(text: str) -> str:
    return "(?:" + "|".join(text.split()) + ")"


MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|may(?= \d|,? 20\d\d)|(?<=\d )may|(?<=th )may|"
    r"(?<=in )may|(?<=by )may|(?<=until )may|(?<=of )may|june|july|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
DATE = (
    rf"(?:\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}|\b{MONTH}(?:,? (?:the )?\d|\b)|"
    rf"\b20\d\d-\d\d(?:-\d\d)?\b|\bq[1-4]\b|\b20[2-9]\d\b|"
    rf"\b\d{{1,2}}\.\d{{1,2}}\.(?:20\d\d)?(?!\d)|\b\d{{1,2}}/\d{{1,2}}/(?:20)?\d\d\b|\b(?:by|on|"
    rf"until|from|before) \d{{1,2}}/\d{{1,2}}\b|\b(?:end|start|beginning|middle|"
    rf"half) of (?:the |this |next )?(?:fiscal )?(?:month|quarter|year|week|sprint|summer|"
    rf"semester|season)|\bthe \d{{1,2}}(?:st|nd|rd|th)\b|\b(?:next|this) (?:month|quarter|year|"
    rf"summer|spring|autumn|fall)\b|\bnext {DAY}|\b(?:christmas|easter|black friday|"
    rf"thanksgiving|new year)\b)"
)

# What an agent writes or does for a user, in general: the things that rules are about.
ARTEFACTS = (
    r"(?:answers?|replies|responses?|summar(?:y|ies)|explanations?|examples?|snippets?|code|"
    r"comments?|docstrings?|docs|documentation|readmes?|changelogs?|commits?|commit messages?|"
    r"prs?|mrs?|pull requests?|branch(?:es)?|branch names?|names?|naming|variables?|functions?|"
    r"methods?|classes|types?|interfaces?|tests?|test names?|test data|fixtures?|mocks?|"
    r"assertions?|migrations?|quer(?:y|ies)|sql|schemas?|endpoints?|apis?|errors?|"
    r"error messages?|exceptions?|logs?|logging|log (?:lines?|messages?)|config(?:s|uration)?|"
    r"dependenc(?:y|ies)|librar(?:y|ies)|packages?|imports?|components?|styles?|css|colou?rs?|"
    r"icons?|strings?|copy|ui|labels?|buttons?|headings?|headlines?|titles?|subjects?|tables?|"
    r"charts?|plots?|graphs?|figures?|diagrams?|screenshots?|slides?|numbers?|figures?|prices?|"
    r"amounts?|money|currenc(?:y|ies)|units?|dates?|times?|timestamps?|time ?zones?|"
    r"file ?names?|filenames?|files?|folders?|paths?|urls?|links?|ids?|identifiers?|constants?|"
    r"flags?|scripts?|makefiles?|notebooks?|cells?|models?|shaders?|assets?|sprites?|textures?|"
    r"scenes?|prompts?|emails?|mails?|letters?|translations?|quotes?|quotation|citations?|"
    r"references|bullets?|lists?|paragraphs?|sentences?|spelling|grammar|tone|format(?:ting)?|"
    r"indentation|whitespace|diffs?|patches|reviews?|refactor(?:s|ings?)|releases?|tags?|"
    r"versions?|secrets?|tokens?|credentials?|passwords?|experiments?|metrics?|reports?|"
    r"estimates?|options?|suggestions?|todos?|lambdas?|loops?|abbreviations?|acronyms?|jargon|"
    r"output|results?|tickets?|issues?|stories|specs?|definitions?|modules?|headers?|footers?|"
    r"params?|parameters?|arguments?|measurements?|benchmarks?|seeds?|hyperparameters?|"
    r"datasets?|columns?|rows?|keys?|values?|registers?|interrupts?|pins?|drivers?|containers?|"
    r"images?|manifests?|pipelines?|terraform|workflows?|jobs?|clauses?|contracts?|wording|"
    r"texts?|captions?|alt text|animations?|layouts?|forms?|pages?|screens?|views?|hooks?|state|"
    r"props|handlers?|requests?|payloads?|callbacks?|threads?|locks?|pointers?|macros?|"
    r"templates?|generics?|enums?|warnings?|post ?mortems?|runbooks?|backups?|indexes|indices|"
    r"joins?|views|transactions?|features?|bugs?|fixes|hotfix(?:es)?)"
)
STYLE = (
    r"(?:ascii|utf-?8|utc|iso(?: ?8601)?|spelling|british|american|english|german|french|"
    r"spanish|upper[ -]?case|lower[ -]?case|title case|sentence case|capitals?|capitali[sz]ed|"
    r"camel ?case|snake[ _]?case|kebab[ -]?case|pascal ?case|tabs|spaces|indent(?:ed|ation)?|"
    r"aligned|alphabetical|sorted|spelled|spelt|style|format|formatted|plain|json|yaml|markdown|"
    r"bullets?|emojis?|short|terse|brief|concise|one line|lines|chars|characters|words|columns?|"
    r"imperative|present tense|past tense|active voice|passive voice|first person|second person|"
    r"plural|singular|prefix(?:ed)?|suffix(?:ed)?|single quotes|double quotes|semicolons?|"
    r"trailing commas?|type hints?|annotations?|typed|metric|imperial|celsius|decimals?|"
    r"decimal places|digits|cents|theme|numeric|monospace|bold|italics?|quoted|escaped|"
    r"conventional commits?|no abbreviations|full sentences?|plain language|24[ -]?hour|"
    r"leading zeros?|structured|reversible|idempotent)"
)
# Base forms that open an instruction on how to work, not one thing to do.
HOW_VERBS = _words(
    "use keep prefer name prefix suffix answer reply respond talk write phrase word format spell"
    " treat assume stick ask explain mention cite quote limit follow favour favor default indent"
    " capitalise capitalize round wrap pin sign squash tag label annotate document cover test"
    " validate verify check double-check confirm state say tell show give start begin lead end open"
    " finish group order sort leave put make let think consider try run go reuse store read speak"
    " call address refer link attach include add list group measure separate split comment commit"
    " break return log handle expect pass inject target support respect bear cap err be stay warn"
    " report suggest offer propose raise state flag note plan outline sketch compare pick choose"
    " set have pull do mark"
)
# Base forms that ask for one piece of work.
TASK_VERBS = _words(
    "rename refactor fix rerun re-run revert undo redo rebase merge push deploy bump move delete"
    " remove extract create generate draft summarise summarize"
    " translate convert turn update install"
    " look see find figure investigate debug implement build close restart retry paste copy replace"
    " swap change switch rewrite shorten review point insert print export import upload download"
    " fetch plot send clean kill roll reset bring grab take walk"
    " trim inline hook wire port scaffold"
    " scan search grep dig profile trace simplify reformat reorder tidy tweak adjust apply execute"
    " compile ship publish prepare continue proceed carry cherry-pick stash post get help work"
)
VERBS = (
    rf"(?:{HOW_VERBS}|{TASK_VERBS}|stop|avoid|skip|ignore|drop|cut|wait|refuse|throw|escape|hold)"
)

SYSTEMS = (
    r"(?:confluence|notion|linear|jira|zendesk|pager ?duty|opsgenie|grafana|kibana|data ?dog|"
    r"sentry|figma|zeplin|miro|share ?point|google (?:drive|docs?|sheets?|forms?|calendar)|"
    r"g ?drive|dropbox|one ?drive|slack|ms teams|discord|mattermost|greenhouse|workday|"
    r"bamboo ?hr|lokalise|crowdin|transifex|weblate|asana|trello|click ?up|monday\.com|"
    r"you ?track|redmine|bugzilla|gitlab|github(?: (?:issues|projects?|discussions|wiki))?|"
    r"bitbucket|gerrit|looker|tableau|metabase|power ?bi|superset|amplitude|mixpanel|vault|"
    r"1password|bitwarden|lastpass|artifactory|nexus|docker ?hub|ecr|s3|gcs|(?:the )?bucket|"
    r"snowflake|big ?query|redshift|databricks|mlflow|wandb|weights & biases|hugging ?face|"
    r"airtable|salesforce|hubspot|intercom|freshdesk|servicenow|status ?page|launch ?darkly|"
    r"splunk|new ?relic|honeycomb|loki|prometheus|jenkins|buildkite|circle ?ci|teamcity|"
    r"argo ?cd|swagger|postman|storybook|wiki|intranet|shared drive|shared folder|the nas|"
    r"perforce|test ?rail|docusign|spreadsheet|google group|mailing list|zenodo|overleaf|zotero|"
    r"dvc|minio|gitea|phabricator|basecamp|backstage|rollbar|bugsnag|crashlytics|app center|"
    r"firebase|testflight|play console|app store connect|sonarqube|snyk|keycloak|okta|retool|"
    r"data-catalog|label studio|teambition|mastergo|backlog|personio|ashby|lever|docs site|"
    r"portal|#[a-z][\w-]+)"
)
LOCATED = (
    r"(?:lives?|sits?|resides?|is|are|'s|'re|kept|stored|tracked|filed|logged|documented|hosted|"
    r"handled|managed|collected|archived|queued|requested|published|posted|reported|recorded|"
    r"maintained|versioned|found|come|comes|go(?:es)?|ends? up|lands?|feeds?|pull(?:ed)?|"
    r"exported|uploaded|discussed|written|triaged|organi[sz]ed|backed up|mirrored|announced|"
    r"listed|planned|defined|booked|run)"
)
PLACE = r"(?:in(?:to|side)?|on|at|under|from|via|through|by|to|over at|as)"

FORBIDDEN = (
    r"(?:mandatory|required|forbidden|banned|taboo|off[ -]limits|out of bounds|out|a no-go|"
    r"not allowed|not ok(?:ay)?|not an option|unacceptable|compulsory)"
)
# What an agent writes for developers; the parts of a user interface are mostly a task's subject.
DEV_ARTEFACTS = (
    r"(?:answers?|replies?|responses?|summaries?|explanations?|examples?|code|comments?|"
    r"docstrings?|docs|documentation|commits?|commit messages?|prs?|pull requests?|"
    r"branch(?:es?)?|branch names?|naming|(?:variable|function|class?|test|file|method|column|"
    r"table) names?|variables?|functions?|public functions?|methods?|types?|tests?|test data|"
    r"fixtures?|mocks?|assertions?|migrations?|quer(?:y|ies?)|sql|schemas?|endpoints?|"
    r"public apis?|error messages?|exceptions?|logs?|log (?:lines?|messages?|output)|logging|"
    r"config|dependenc(?:y|ies?)|librar(?:y|ies?)|packages?|imports?|components?|css|copy|"
    r"ui texts?|ui copy|charts?|plots?|graphs?|diagrams?|screenshots?|numbers?|prices?|amounts?|"
    r"money|dates?|timestamps?|filenames?|file names?|file paths?|paths?|constants?|flags?|"
    r"feature flags?|scripts?|makefiles?|notebooks?|shaders?(?: code)?|assets?|sprites?|"
    r"textures?|prompts?|translations?|citations?|references?|spelling|tone|formatting|"
    r"indentation|diffs?|reviews?|refactorings?|releases?|tags?|secrets?|tokens?|credentials?|"
    r"passwords?|experiments?|metrics?|reports?|estimates?|suggestions?|todos?|lambdas?|"
    r"abbreviations?|acronyms?|jargon|benchmarks?|seeds?|hyperparameters?|training runs?|"
    r"datasets?|registers?|interrupts?|drivers?|containers?|manifests?|pipelines?|terraform|"
    r"clauses?|legal texts?|wording|captions?|alt text|animations?|hooks?|macros?|templates?|"
    r"generics?|warnings?|post ?mortems?|runbooks?|backups?|indexes?|transactions?|"
    r"hotfix(?:es?)?|ansible roles?|playbooks?|helm charts?|api keys?|floats?|units?|"
    r"measurements?|(?:sample|test|demo|dummy|mock) data)"
)
# After "the": what every project has, so that "the commit subject" is no single thing at hand.
ROLE_NOUNS = (
    r"(?:user|users|code|docs|documentation|readme|changelog|reader|readers|reviewer|reviewers|"
    r"diff|end|beginning|start|top|first|commit|subject|body|title|description|pr|ticket|issue|"
    r"answer|reason|conclusion|repo|project|team|customer|customers|client|caller|database|db|"
    r"api|ui|cli|name|error|root cause|cause|source|standard library|stdlib|formatter|linter|"
    r"database|licen[cs]e|unit|units|metric|imperative|present|active|why|codebase|type|types|"
    r"risks?|trade-?offs|downsides?|numbers|number|problem|front|back|middle|header|footer|"
    r"cells?|question|same|simplest|smallest|smaller|shortest|plan|dba|compiler|bottom line|"
    r"tests|build|default|defaults|house|company|official|public|public api|explain|full|exact|"
    r"what|bash|point)"
)
ROLES = (
    r"(?:dev(?:eloper)?s?|engineers?|designer|artist|writer|analyst|scientist|researcher|"
    r"student|teacher|lecturer|professor|phd|postdoc|physicist|biologist|chemist|doctor|nurse|"
    r"lawyer|paralegal|accountant|manager|lead|pm|po|product owner|cto|ceo|founder|freelancer|"
    r"contractor|consultant|intern|junior|senior|principal|staff|architect|admin|sysadmin|dba|"
    r"sre|devops|ops|tester|qa|maintainer|programmer|coder|hobbyist|beginner|newbie|novice|"
    r"translator|editor|musician|librarian|journalist|economist|statistician|mathematician|"
    r"linguist|person|guy|user|counsel|speaker|type|recruiter|marketer|solo|one-man|team of one|"
    r"non-native|night owl|early bird|backend|back-end|frontend|front-end|full-?stack|mobile|"
    r"embedded|firmware|data|web|game|ml)"
)
