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
    r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|may(?= \d|,? 20\d\d)|(?<=\d )may|(?<=th )may"
    r"|(?<=in )may|(?<=by )may|(?<=until )may|(?<=of )may|june|july|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
DATE = (
    rf"(?:\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}|\b{MONTH}(?:,? (?:the )?\d|\b)"
    r"|\b20\d\d-\d\d(?:-\d\d)?\b|\bq[1-4]\b|\b20[2-9]\d\b|\b\d{1,2}[./]\d{1,2}\.?(?:20\d\d)?\b(?!%)"
    r"|\b(?:end|start|beginning|middle|half) of (?:the |this |next )?(?:fiscal )?"
    r"(?:month|quarter|year|week|sprint|summer|semester|season)"
    r"|\bthe \d{1,2}(?:st|nd|rd|th)\b|\b(?:next|this) (?:month|quarter|year|summer|spring|autumn"
    r"|fall)\b"
    rf"|\bnext {DAY}|\b(?:christmas|easter|black friday|thanksgiving|new year)\b)"
)

# What an agent writes or does for a user, in general: the things that rules are about.
ARTEFACTS = (
    r"(?:answers?|replies|responses?|summar(?:y|ies)|explanations?|examples?|snippets?|code"
    r"|comments?"
    r"|docstrings?|docs|documentation|readmes?|changelogs?|commits?|commit messages?|prs?|mrs?"
    r"|pull requests?|branch(?:es)?|branch names?|names?|naming|variables?|functions?|methods?"
    r"|classes"
    r"|types?|interfaces?|tests?|test names?|test data|fixtures?|mocks?|assertions?|migrations?"
    r"|quer(?:y|ies)|sql|schemas?|endpoints?|apis?|errors?|error messages?|exceptions?|logs?"
    r"|logging"
    r"|log (?:lines?|messages?)|config(?:s|uration)?|dependenc(?:y|ies)|librar(?:y|ies)|packages?"
    r"|imports?|components?|styles?|css|colou?rs?|icons?|strings?|copy|ui|labels?|buttons?"
    r"|headings?"
    r"|headlines?|titles?|subjects?|tables?|charts?|plots?|graphs?|figures?|diagrams?|screenshots?"
    r"|slides?|numbers?|figures?|prices?|amounts?|money|currenc(?:y|ies)|units?|dates?|times?"
    r"|timestamps?|time ?zones?|file ?names?|filenames?|files?|folders?|paths?|urls?|links?|ids?"
    r"|identifiers?|constants?|flags?|scripts?|makefiles?|notebooks?|cells?|models?|shaders?"
    r"|assets?"
    r"|sprites?|textures?|scenes?|prompts?|emails?|mails?|letters?|translations?|quotes?|quotation"
    r"|citations?|references|bullets?|lists?|paragraphs?|sentences?|spelling|grammar|tone"
    r"|format(?:ting)?"
    r"|indentation|whitespace|diffs?|patches|reviews?|refactor(?:s|ings?)|releases?|tags?|versions?"
    r"|secrets?|tokens?|credentials?|passwords?|experiments?|metrics?|reports?|estimates?|options?"
    r"|suggestions?|todos?|lambdas?|loops?|abbreviations?|acronyms?|jargon|output|results?|tickets?"
    r"|issues?|stories|specs?|definitions?|modules?|headers?|footers?|params?|parameters?"
    r"|arguments?"
    r"|measurements?|benchmarks?|seeds?|hyperparameters?|datasets?|columns?|rows?|keys?|values?"
    r"|registers?|interrupts?|pins?|drivers?|containers?|images?|manifests?|pipelines?|terraform"
    r"|workflows?|jobs?|clauses?|contracts?|wording|texts?|captions?|alt text|animations?|layouts?"
    r"|forms?|pages?|screens?|views?|hooks?|state|props|handlers?|requests?|payloads?|callbacks?"
    r"|threads?|locks?|pointers?|macros?|templates?|generics?|enums?|warnings?|post ?mortems?"
    r"|runbooks?"
    r"|backups?|indexes|indices|joins?|views|transactions?|features?|bugs?|fixes|hotfix(?:es)?)"
)
STYLE = (
    r"(?:ascii|utf-?8|utc|iso(?: ?8601)?|spelling|british|american|english|german|french|spanish"
    r"|upper[ -]?case|lower[ -]?case|title case|sentence case|capitals?|capitali[sz]ed|camel ?case"
    r"|snake[ _]?case|kebab[ -]?case|pascal ?case|tabs|spaces|indent(?:ed|ation)?|aligned"
    r"|alphabetical"
    r"|sorted|spelled|spelt|style|format|formatted|plain|json|yaml|markdown|bullets?|emojis?|short"
    r"|terse|brief|concise|one line|lines|chars|characters|words|columns?|imperative|present tense"
    r"|past tense|active voice|passive voice|first person|second person|plural|singular"
    r"|prefix(?:ed)?"
    r"|suffix(?:ed)?|single quotes|double quotes|semicolons?|trailing commas?|type hints?"
    r"|annotations?|typed|metric|imperial|celsius|decimals?|decimal places|digits|cents|theme"
    r"|numeric|monospace|bold|italics?|quoted|escaped|conventional commits?|no abbreviations"
    r"|full sentences?|plain language|24[ -]?hour|leading zeros?|structured|reversible|idempotent"
    r"|optional|mandatory|required|forbidden|banned|taboo|off[ -]limits|out of bounds|out)"
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
    " report suggest offer propose raise flag note plan outline sketch compare pick choose set have"
    " pull do mark"
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
    r"(?:confluence|notion|linear|jira|zendesk|pager ?duty|opsgenie|grafana|kibana|data ?dog|sentry"
    r"|figma|zeplin|miro|share ?point|google (?:drive|docs?|sheets?|forms?|calendar)|g ?drive"
    r"|dropbox"
    r"|one ?drive|slack|ms teams|discord|mattermost|greenhouse|workday|bamboo ?hr|lokalise|crowdin"
    r"|transifex|weblate|asana|trello|click ?up|monday\.com|you ?track|redmine|bugzilla|gitlab"
    r"|github(?: (?:issues|projects?|discussions|wiki))?|bitbucket|gerrit|looker|tableau|metabase"
    r"|power ?bi|superset|amplitude|mixpanel|vault|1password|bitwarden|lastpass|artifactory|nexus"
    r"|docker ?hub|ecr|s3|gcs|(?:the )?bucket|snowflake|big ?query|redshift|databricks|mlflow|wandb"
    r"|weights & biases|hugging ?face|airtable|salesforce|hubspot|intercom|freshdesk|servicenow"
    r"|status ?page|launch ?darkly|splunk|new ?relic|honeycomb|loki|prometheus|jenkins|buildkite"
    r"|circle ?ci|teamcity|argo ?cd|swagger|postman|storybook|wiki|intranet|shared drive"
    r"|shared folder"
    r"|the nas|perforce|test ?rail|docusign|spreadsheet|google group|mailing list|zenodo|overleaf"
    r"|zotero|dvc|minio|gitea|phabricator|basecamp|backstage|rollbar|bugsnag|crashlytics|app center"
    r"|firebase|testflight|play console|app store connect|sonarqube|snyk|keycloak|okta|retool"
    r"|personio|ashby|lever|docs site|portal|#[a-z][\w-]+)"
)
LOCATED = (
    r"(?:lives?|sits?|resides?|is|are|'s|'re|kept|stored|tracked|filed|logged|documented|hosted"
    r"|handled|managed|collected|archived|published|posted|reported|recorded|maintained|versioned"
    r"|found|come|comes|go(?:es)?|ends? up|lands?|feeds?|pull(?:ed)?|exported|uploaded|discussed"
    r"|written|triaged|organi[sz]ed|backed up|mirrored|announced|listed|planned|defined|booked|run)"
)
PLACE = r"(?:in(?:to|side)?|on|at|under|from|via|through|by|to|over at|as)"

ROLES = (
    r"(?:dev(?:eloper)?s?|engineers?|designer|artist|writer|analyst|scientist|researcher|student"
    r"|teacher|lecturer|professor|phd|postdoc|physicist|biologist|chemist|doctor|nurse|lawyer"
    r"|paralegal|accountant|manager|lead|pm|po|product owner|cto|ceo|founder|freelancer|contractor"
    r"|consultant|intern|junior|senior|principal|staff|architect|admin|sysadmin|dba|sre|devops|ops"
    r"|tester|qa|maintainer|programmer|coder|hobbyist|beginner|newbie|novice|translator|editor"
    r"|musician|librarian|journalist|economist|statistician|mathematician|linguist|person|guy|user"
    r"|speaker|type|recruiter|marketer|solo|one-man|team of one|non-native|night owl|early bird"
    r"|backend|back-end|frontend|front-end|full-?stack|mobile|embedded|firmware|data|web|game|ml)"
)
