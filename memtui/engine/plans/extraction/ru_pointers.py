"""How a Russian-speaking user points at outside systems and links.

Invariant: a place counts with its purpose only, and not a page that is looked at once.
"""

from __future__ import annotations

import re

from memtui.engine.plans.extraction.ru_refusals import (
    asks_once,
    is_bound_here,
    is_status,
)
from memtui.engine.plans.extraction.ru_text import URL
from memtui.engine.plans.extraction.ru_words import (
    LOCATED,
    PAST,
    RESOURCE,
    SYSTEM,
)

_NAMED_LINK = re.compile(r"^(?!вот\b)[^:]{8,90}?\s*[:-]\s+https?://\S+$")

_IN_REPOSITORY = re.compile(
    r"^(?:все\s+|наши\s+)?[\w-]+(?:\s+[\w-]+){0,3}?\s+(?:леж(?:ит|ат)\s+|жив(?:ет|ут)\s+|"
    r"хран(?:им|ится|ятся)\s+)?(?:в|из)\s+(?:отдельном\s+)?(?:репозитори[ие]|репе|репо|"
    r"субмодуле)\s+[a-z][\w./-]+"
)

_KEPT_IN = re.compile(
    r"^[\w -]{4,50}:\s+(?:репозиторий|канал|папка|проект|пространство|доска|чат|раздел|страница|"
    r"бакет|индекс)\s+[\w«·#/.-]{3,}"
)
_DOWN = re.compile(
    rf"{SYSTEM}\s+(?:опять\s+|снова\s+|уже\s+|час\s+)*(?:леж(?:ит|ат)|лег|легла|упал\w*|"
    rf"не\s+\w+)\b|\b(?:лог\s+(?:сборки|падения|ошибки)|стектрейс|дамп|скрин)\b"
)
_VERBLESS = re.compile(
    rf"^(?:\w+\s+){{0,3}}?{RESOURCE}\b.{{0,60}}?\b(?:в|во|на|через|из)\s+(?:[\w-]+\s+)?{SYSTEM}"
)

_ANY_VERB = re.compile(rf"\b\w{{3,}}(?:ает|яет|ует|еет|ит|ют|ут|ется|утся|ются|ятся)\b|{PAST}")

_SYSTEM = re.compile(SYSTEM)

_LOCATED = re.compile(LOCATED)

_RESOURCE = re.compile(RESOURCE)

_ONE_PAGE = re.compile(
    r"/(?:pull|merge_requests|commit|issues|jobs|pipelines|builds?|actions/runs|questions|"
    r"status)/\w*\d"
)

_FOUND = re.compile(
    r"\b(?:нашел|нашла|наткнул\w+|читал\w*|прочитал\w*|видел\w*|вижу|скачал\w*|открыл\w*|"
    r"смотрел\w*|скинул\w*|прислал\w*|кинул\w*|"
    r"статья|статью|пост|тред|ролик|видос|мем|красив\w+|опять|снова|упал\w*|лежал\w*|пропал\w*|"
    r"404|500|502|ругается|"
    r"отдает|тормозит|не\s+открывается|не\s+грузится|висит\s+(?:тикет|задача|пр)|тикет\s+на)\b"
)

_PLACE = re.compile(
    r"\b(?:проект[еа]?|пространств[оеа]|канал[еа]?|чат[еа]?|групп[аеу]|доск[аеуи]|папк[аеуи]|"
    r"раздел[еа]?|страниц[аеуы]|"
    r"вкладк[аеи]|файл[еа]?|очеред[ьи]|бакет[еа]?|сервер[еа]?|репозитори[йие]|репа|репе|"
    r"дашборд[еа]?|тег[еа]?|метк[аойе]|"
    r"спейс[еа]?|борд[еа]?|индекс[еа]?|шкаф\w*|диск[еа]?|коллекци[яию]|workspace|"
    r"воркспейс[еа]?)\b"
)


def reference_of(folded: str) -> str | None:
    """The name of the rule by which a folded sentence points at an outside system, or None."""
    url = URL.search(folded)
    if _DOWN.search(folded) or asks_once(folded) or _FOUND.search(folded) or is_status(folded):
        return None
    if url is not None:
        if _ONE_PAGE.search(url.group()):
            return None
        words = URL.sub(" ", folded)
        if _RESOURCE.search(words) or _LOCATED.search(words) or _SYSTEM.search(words):
            return "link with a purpose"
        if _NAMED_LINK.search(folded) and _ANY_VERB.search(words) is None:
            return "link with a purpose"
        return None
    if (_IN_REPOSITORY.search(folded) or _KEPT_IN.search(folded)) and not is_bound_here(folded):
        return "system and what it is for"
    if not _SYSTEM.search(folded):
        return None
    if is_bound_here(folded):
        return None
    if _LOCATED.search(folded) and (_RESOURCE.search(folded) or _PLACE.search(folded)):
        return "system and what it is for"
    if _VERBLESS.search(folded) and _ANY_VERB.search(folded) is None:
        return "system and what it is for"
    if (
        _RESOURCE.search(folded)
        and _PLACE.search(folded)
        and re.search(r"(?:\b(?:в|на)\s|-|:)", folded)
    ):
        return "system and what it is for"
    return None
