"""How a Russian-speaking user orders and forbids: what the agent is to do from now on.

Invariant: what asks for one thing once, or points at what lies on the table, is no standing order.
"""

from __future__ import annotations

import re

from memtui.engine.plans.extraction.ru_refusals import (
    asks_once,
    is_bound_here,
    is_governed,
    is_small_talk,
    is_status,
    is_told,
    leaves_it_open,
    tells_past,
)
from memtui.engine.plans.extraction.ru_words import (
    ALWAYS,
    ASKING,
    FORBIDDEN,
    GENERAL,
    GO_AHEAD,
    INFINITIVE_STANDING,
    NEGATED_STANDING,
    ONCE,
    REQUIRED,
    STANDING,
    STOP_DOING,
)

_ALWAYS = re.compile(ALWAYS)

_STANDING = re.compile(STANDING)

_GO_AHEAD = re.compile(GO_AHEAD)

_GENERAL = re.compile(GENERAL)

_NEGATED = re.compile(NEGATED_STANDING)

_NO_MORE = re.compile(
    rf"\b(?:больше|впредь|никогда|отныне)\b.{{0,40}}?\bне\s+(?:\w+\s+){{0,2}}?(?:{STANDING}|"
    rf"{INFINITIVE_STANDING})"
    rf"|{STOP_DOING}\s+(?:\w+\s+){{0,3}}?(?:\w+(?:ть|ти|чь)(?:ся)?|с)\b"
    rf"|\bне\s+(?:надо|нужно|стоит)\s+больше\b|\bбольше\s+не\s+(?:надо|нужно|стоит)\b|"
    rf"\bникаких\s+(?!новост|вопрос|проблем|иде|ответ|изменени|результат|шанс|сил\b|претензи|"
    rf"возражени|следов|ошиб|жалоб|обид)\w+"
)

_REMEMBER = re.compile(
    r"^(?:впредь|отныне|с\s+этого\s+момента|в\s+дальнейшем)\b(?!.*\b(?:буду|будем|постараюсь|"
    r"\w+у(?:сь)?)\b)|"
    r"\b(?:запомни(?:те)?|имей(?:те)?\s+в\s+виду|имейте?\s+ввиду|учти(?:те)?|заруби\w*\s+себе|"
    r"запиши(?:те)?\s+себе|отметь(?:те)?\s+себе|на\s+будущее|"
    r"помни(?:те)?)\b[\s,:-]+(?!мои\s+слова|мо[её]\s+слово|меня|этот?|это|место)\S"
    r"|[,-]\s*(?:имей(?:те)?\s+в\s+виду|учти(?:те)?|запомни(?:те)?|на\s+будущее)\W*$"
)

_FORBIDDEN = re.compile(
    rf"(?:{FORBIDDEN})\s*[,:]?\s*(?:\w+\s+){{0,3}}?(?:{INFINITIVE_STANDING})"
    rf"|(?:{INFINITIVE_STANDING})\b.{{0,50}}?(?:{FORBIDDEN})"
    rf"|\w+(?:ы|и|е|а|я|ов|ев|ей|ий|ок|ек)\b[^.]{{0,40}}?\s(?:{FORBIDDEN})"
    rf"|^(?:и\s+)?(?:{FORBIDDEN})\s+(?:мне\s+|нам\s+|никаких\s+|всех\s+этих\s+)?[«\w-]{{3,}}"
    rf"|\b(?:не|ни)\s+(?:допуска\w+|разреша\w+|приним\w+|пропуска\w+|проходит|терп\w+|прощ\w+)\b"
)

_DEONTIC = re.compile(
    rf"(?:{REQUIRED})\s*[,:]?\s+(?:[\w-]+,?\s+){{0,3}}?(?:{INFINITIVE_STANDING})"
    rf"|(?:{INFINITIVE_STANDING})\b.{{0,40}}?\b(?:надо|нужно|следует|обязательно|необходимо)\b"
    rf"|\bобязательн(?:ы|а|ый|ая|ое|ые)\b|\bобязателен\b|\bдолж(?:ен|на|но|"
    rf"ны)\s+(?:всегда\s+)?(?:быть|содержать|"
    rf"иметь|проходить|начинаться|заканчиваться|"
    rf"идти|лежать|стоять|работать|помещаться|влезать|укладываться|возвращать|включать)\b"
)

_NOT_DEONTIC = re.compile(r"\b(?:надо|нужно|следует)\s+(?:бы|будет|было)\b|\bдолжно\s+быть,")

_INFINITIVE = re.compile(
    rf"(?:^|[,;:-]\s*|\b(?:в|для|на|при|к|из|до|без|под|после|"
    rf"перед)\s+[\w./-]+(?:\s+[\w./-]+)?\s+|^[\w/-]+(?:\s+[\w./-]+){{0,2}}\s+)"
    rf"(?:(?:никогда|категорически|просто|вообще|больше|ничего|сам\w*|"
    rf"руками)\s+)*не\s+(?:{INFINITIVE_STANDING})"
    rf"|\b(?:всегда|обязательно|строго|только|исключительно|сразу|сначала|сперва|"
    rf"каждый\s+раз)\s+(?:\S+\s+){{0,3}}?(?:{INFINITIVE_STANDING})"
    rf"|(?:{INFINITIVE_STANDING})\s+(?:\S+\s+){{0,3}}?(?:всегда|обязательно|строго|только|"
    rf"исключительно)\b"
)


_TRIGGER = re.compile(
    r"\b(?:когда|прежде\s+чем|перед\s+тем,?\s+как|до\s+того,?\s+как|если|перед\s+(?:кажд|люб)\w+|"
    r"после\s+(?:кажд|люб)\w+|каждый\s+раз|всякий\s+раз|как\s+только|при\s+(?:люб|кажд|"
    r"малейш)\w+|"
    r"в\s+случае|если\s+что|(?:люб|кажд)(?:ой|ая|ое|ые|ый|ую|ого|ому|ым|ом|ых|ыми|ем|ю|"
    r"ех))\b...\s?"
)
_IMPERATIVE = re.compile(rf"{ONCE}|{STANDING}")
_ASK_FIRST = re.compile(
    rf"(?:{ASKING})\b.{{0,60}}?\b(?:прежде\s+чем|перед\s+тем,?\s+как|если|когда|"
    rf"до\s+того,?\s+как)\b"
)
_UNSURE = re.compile(
    r"^(?:не\s+(?:уверен\w*|знаешь|понял\w*|понятно|ясно|хватает|нашел|нашла|получается|сходится|"
    r"помнишь|проходит|можешь|видишь|помещается|влезает)|нет\s+\w+|сомнева\w+|видишь\s+\w+|"
    r"нужн\w+\s+\w+|непонят\w+|\w+\s+(?:неясн|непонят)\w+)(?:\s+[\w./-]+){0,5}\s*[-,:]\s*"
    rf"(?:то\s+|так\s+и\s+|лучше\s+|сначала\s+|сразу\s+)?(?:{ONCE}|{STANDING})"
)
_FUTURE_CONDITION = re.compile(
    r"\b(?:если|как\s+только|когда)\b[^,]*\b(?:упа|сломает|пройд|получит|найд|заработа|поможет|"
    r"не\s+поможет|успе|"
    r"выйдет|завед|останет|захоч|увид|"
    r"отвалит|зависн|хвати|вылез|всплыв|позелене|покрасне|собер|сможе|появит|загор)\w*"
)

_POLITELY = re.compile(
    r"\bесли\s+(?:не\s+(?:сложно|трудно|лень|против|затруднит|занят\w*|жалко)|можно|можешь|"
    r"есть\s+(?:время|минут\w*|возможность|желание)|хочешь|что|интересно|успе\w+|так|да|нет)\b"
)
_YOU_DO = re.compile(
    rf"^(?!видишь|понимаешь|знаешь|помнишь|думаешь|считаешь|представляешь|слышишь)\w+(?:ешь|"
    rf"ишь)(?:ся)?\b.{{3,100}}?(?:-|,|:)\s*(?:то\s+|сразу\s+|сначала\s+|"
    rf"обязательно\s+)?(?:{ONCE}|{STANDING})"
)
_RULE_IS = re.compile(
    r"\b(?:за\s+правило|правило|договоренность|соглашение|конвенция|стандарт|политика|порядок|"
    r"принцип|требование)\b(?:\s+\w+){0,3}\s*[:-]\s|^давай(?:те)?\s+(?:договоримся|условимся)\b"
)
_SHOWN_RULE = re.compile(
    r"\b(?:всегда|сначала|сперва|спроси\w*|предупреди\w*|иначе|сразу|никогда|скажи\w*|сообщи\w*|"
    r"обязательно|каждый|любой|любую)\b"
)


_CONFIRMS = re.compile(
    r"\b(?:вот\s+)?(?:так|такой|таком|такие|в\s+таком|том\s+же|такая|формат|стиль|подход|"
    r"тон)\b.{0,80}?"
    r"\b(?:и\s+дальше|дальше|и\s+впредь|впредь|в\s+следующий\s+раз|в\s+следующие\s+разы|"
    r"и\s+продолжай|всегда|и\s+пиши|и\s+делай|и\s+надо|"
    r"и\s+нужно|и\s+оформляй|и\s+оставляй|и\s+держи|каждый\s+раз|на\s+будущее|сохраняй|"
    r"сохраняем|придерживай\w+|в\s+остальных|"
    r"в\s+других|для\s+всех|везде)\b"
    r"|\b(?:впредь|дальше|всегда)\s+(?:тоже\s+)?(?:вот\s+)?так(?:\s+же)?\b(?!\s+\w+л)|"
    r"\bв\s+том\s+же\s+духе\b|\bпродолжай(?:те)?\s+(?:так\s+же|в\s+том\s+же|в\s+таком\s+же|"
    r"именно\s+так|писать|давать|показывать)\b"
    r"|\b(?:так|вот\s+так)\s+и\s+(?:пиши|делай|оформляй|отвечай|держи|комментируй|называй|"
    r"объясняй|показывай|присылай)\b"
)

_CONFIRM_ONCE = re.compile(
    r"\b(?:дошл?[оа]?|раньше|вроде|оставь|оставляем|сойдет|ладно|пусть|пофиг|черт\s+с|и\s+быть)\b"
)

_TOUCH = re.compile(
    r"\bне\s+(?:\w+\s+){0,2}?(?:трогай|меняй|пушь|мерд?жи|запускай|удаляй|кати|жди|закрывай|"
    r"открывай|отправляй|обновляй|смотри|ищи|чини|включай|выключай|отключай|деплой|выкатывай|"
    r"начинай|начинайте|сноси|собирай|делай|считай|думай|переходи|ходи|бери|рассчитывай|верь|"
    r"надейся|торопись|спеши|бойся|жалей|ленись|стесняйся|мешай|забывай|спорь)"
)


_CLAUSE = re.compile(r"[,;:]\s|\s-\s")

_REMARK = re.compile(r"[,:;-]\s*(?:и\s+)?это\s.*$")

_ANY_INFINITIVE = re.compile(INFINITIVE_STANDING)

_WANTS = re.compile(
    r"\b(?:хочу|хотим|нужно|важно)\s+(?:\w+\s+){0,2}?(?:видеть|получать|читать|знать|слышать|"
    r"понимать)\b|\bмне\s+ни\s+к\s+чему\b"
)

_POLITE_WISH = re.compile(r"\b(?:хотел\w*|хотелось|просил\w*|предпоч\w+)\s+бы,?\s+чтобы?\b")


def order_of(main: str, whole: str) -> str | None:
    """The name of the rule by which a sentence orders or forbids for good, or None.

    Takes the folded sentence without its reason, and with it.
    """
    is_bound = any(map(is_bound_here, _orders_of(main)))
    is_always = _ALWAYS.search(main) is not None
    if (
        _CONFIRMS.search(main)
        and not _CONFIRM_ONCE.search(main)
        and not asks_once(main.replace("продолжай", ""))
        and not is_small_talk(main)
    ):
        return "confirmation"
    if _condition(main, whole, is_bound):
        return "when … then"
    if _FUTURE_CONDITION.search(main) and _SHOWN_RULE.search(whole) is None:
        return None
    if asks_once(main) or leaves_it_open(main) or is_told(main):
        return None
    if is_bound:
        return None
    if _RULE_IS.search(whole) and not is_small_talk(whole) and not is_status(main):
        return "rule"
    if _NO_MORE.search(main) and not (is_small_talk(whole) and not _STANDING.search(main)):
        return "stop doing"
    if _POLITE_WISH.search(main) and (is_always or _GENERAL.search(main)):
        return "wish"
    if _WANTS.search(main) and _GENERAL.search(main) and not is_small_talk(whole):
        return "wish"
    if _REMEMBER.search(whole) and not is_small_talk(whole):
        return "remember"
    if _NEGATED.search(main) and not _TOUCH.search(main) and not is_small_talk(main):
        return "don't"
    if _NEGATED.search(main) and _is_general_enough(main, whole):
        return "don't"
    if is_always and (_STANDING.search(main) or _inflected_order(main)):
        return "always / never"
    if _STANDING.search(main) and _is_general_enough(main, whole) and not is_status(main):
        return "standing order"
    if is_small_talk(main) or is_status(main):
        return None
    if _FORBIDDEN.search(main) and not is_governed(main):
        return "forbidden"
    if _DEONTIC.search(main) and not _NOT_DEONTIC.search(main) and not tells_past(main):
        return "required"
    if _INFINITIVE.search(main) and not is_governed(main) and not tells_past(main):
        return "standing order"
    return None


def _orders_of(main: str) -> list[str]:
    """The clauses that order something; the whole sentence where none does by its form."""
    clauses = _CLAUSE.split(_REMARK.sub("", main))
    orders = [each for each in clauses if _STANDING.search(each) or _ANY_INFINITIVE.search(each)]
    return orders or [main]


def _inflected_order(main: str) -> bool:
    return _INFINITIVE.search(main) is not None and not is_governed(main)


def _is_general_enough(main: str, whole: str) -> bool:
    """An order that could as well mean "go on with it" wants a word that makes it general."""
    orders = {found.start() for found in _STANDING.finditer(main)}
    going_on = {found.start() for found in _GO_AHEAD.finditer(main)}
    if orders - going_on:
        return True
    return _GENERAL.search(main) is not None or len(whole) - len(main) > 15


def _condition_start(main: str) -> int | None:
    """Where the condition starts that an imperative answers, or None."""
    trigger = _TRIGGER.search(main)
    if trigger is not None and _IMPERATIVE.search(main, trigger.end()) is not None:
        return trigger.start()
    found = _ASK_FIRST.search(main) or _UNSURE.search(main)
    return None if found is None else found.start()


def _condition(main: str, whole: str, is_bound: bool) -> bool:
    if _YOU_DO.search(main) and not is_bound:
        return True
    if _POLITELY.search(main):
        return False
    start = _condition_start(main)
    if is_bound or start is None or leaves_it_open(main) or asks_once(main[:start]):
        return False
    if _FUTURE_CONDITION.search(main):
        return _SHOWN_RULE.search(whole) is not None
    return True
