"""What of a typed message can be the user's own statement, sentence by sentence.

Invariant: the quote of every sentence stands in the message as it is, and the work is linear in
the length of the message.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from typing import NamedTuple

from memtui.engine.plans.extraction.own_words import is_bullet, pasted_lines

LONGEST_SENTENCE = 600
"""Characters; what is longer without a full stop is pasted, not said."""

_WRAP_FROM = 60
"""A line of that many characters that doesn't end a sentence goes on in the next one."""

_END = re.compile(r"(?:[。！？]|[.!?…]+(?=[\s\"'”’»)\]」』]|$))[.!?…。！？]*[\"'”’»)\]」』）]*\s*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|e\. g|i\. e|cf|vs|etc|approx|ca|no|nr|fig|sec|ch|pp?|mr|mrs|ms|dr|st"
    r"|jr|sr|prof|inc|ltd|jan|feb|mar|apr|aug|sept?|oct|nov|dec|a\.k\.a|[A-Z]"
    r"|т\.\s?[едпк]|т|и т\.\s?[дп]|г|гг|в|вв|ул|д|им|см|стр|рис|напр|др|пр|руб|тыс|млн|млрд"
    r"|мин|сек)\.$",
    re.IGNORECASE,
)
_SPEECH_WORDS = 4
_LONG_SPEECH_WORDS = 8
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_CLOSING = {
    "“": re.compile("”"),
    "«": re.compile("»"),
    "„": re.compile("[“”]"),
    "「": re.compile("」"),
    "『": re.compile("』"),
    '"': re.compile('"'),
    "'": re.compile(r"'(?!\w)"),
    "‘": re.compile(r"’(?!\w)"),
}
_OPENING = re.compile("[“«„「『\"'‘]")
_SAYS = re.compile(
    r"(?:\b(?:he|she|they|it|[A-Z]\w+|\w+) (?:says?|said|wrote|writes|reads|states?|replied)"
    r"|\b(?:says|puts? it) like this"
    r"|(?<!я )\b(?:пишет|написала?|говорит|сказала?)"
    r"|(?<!我)(?:说|写道|写着)|(?:と言って|と書いて)\w{0,4})\s?[:：]\s?\S",
)
_CITES = re.compile(
    r"(?:\w+['’]?s? ){1,3}(?:e-?mail|mail|letter|notice|announcement|advisory|newsletter|memo|"
    r"tweet|"
    r"press release): \S|(?:из )?(?:письм|рассылк|уведомлени|объявлени|твит)\w*(?: \w+){1,3}: ?\S"
    r"|\S{1,12}(?:から|より)の(?:メール|連絡|通知|お知らせ|手紙|返信)[:：] ?\S",
    re.IGNORECASE,
)
"""How a sentence starts that cites what somebody wrote."""
_FIRST_PERSON_SAYS = re.compile(r"\b(?:I|we|я|мы) (?:say|said|wrote|сказал|написал)", re.IGNORECASE)
_ON_QUOTE = re.compile(
    r"(?:это|вот что|that's|that is|that was|this is|this was|it's|that’s|it’s|这是|這是|那是|"
    r"这条|这句|"
    r"这个是|是他|是她|是对方|これは|それは|って|という)(?!\w{0,2}(?:как раз|exactly))",
    re.IGNORECASE,
)
"""How a remark starts on what was quoted right above it."""
_BLANKS = re.compile(r"\s+")


class Sentence(NamedTuple):
    """One sentence of a message."""

    text: str
    """Tidied: one line, single blanks, no bullet."""
    quote: str
    """As it stands in the message."""
    following: str = ""
    """The next sentence of the same paragraph, tidied; empty where there is none."""
    preceding: str = ""
    """The sentence before it in the same paragraph, tidied; empty where there is none."""


class _Piece(NamedTuple):
    """A sentence by its place in the message; `block` numbers its paragraph or bullet."""

    start: int
    end: int
    block: int
    is_own: bool


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a typed message that the user may mean as their own.

    Without code, logs, tool output, tables, diffs, quotes and quoted speech; never raises.
    """
    pieces = [
        piece
        for number, (start, end) in enumerate(_blocks(text))
        if not _is_on_quote(text, start)
        for piece in _pieces(text, start, end, number)
    ]
    tidied = [_tidy(text[piece.start : piece.end]) for piece in pieces]
    found = []
    for number, piece in enumerate(pieces):
        said = tidied[number]
        if not piece.is_own or not said or said.endswith((":", "：")):
            continue
        after = number + 1
        is_followed = (
            after < len(pieces) and pieces[after].block == piece.block and pieces[after].is_own
        )
        goes_on = number > 0 and pieces[number - 1].block == piece.block
        found.append(
            Sentence(
                text=said,
                quote=text[piece.start : piece.end],
                following=tidied[after] if is_followed else "",
                preceding=tidied[number - 1] if goes_on else "",
            )
        )
    return tuple(found)


def _is_on_quote(text: str, start: int) -> bool:
    """Whether the words at `start` remark on a `>` quote in the line above them."""
    if _ON_QUOTE.match(text, start) is None:
        return False
    above = text[:start].rstrip("\n").rpartition("\n")[2]
    return above.lstrip().startswith((">", "＞"))


def _blocks(text: str) -> list[tuple[int, int]]:
    """The spans of own words that belong together: a paragraph's line, wrapped lines, a bullet."""
    lines = text.split("\n")
    pasted = pasted_lines(lines)
    blocks: list[tuple[int, int]] = []
    position, previous = 0, ""
    for line, is_pasted in zip(lines, pasted, strict=True):
        start, end = position, position + len(line)
        position = end + 1
        if is_pasted or not line.strip():
            previous = ""
            continue
        bullet = is_bullet(line)
        if previous and not bullet and _goes_on(previous, line):
            blocks[-1] = (blocks[-1][0], end)
        else:
            blocks.append((start + bullet, end))
        previous = line
    return blocks


def _goes_on(line: str, following: str) -> bool:
    """Whether a sentence was wrapped: a long line without an end, and the next one lower case."""
    ended = line.rstrip()
    return (
        len(ended) >= _WRAP_FROM
        and ended[-1] not in ".!?…。！？:：;；"
        and following.lstrip()[:1].islower()
    )


def _pieces(text: str, start: int, end: int, block: int) -> list[_Piece]:
    speech = _speech(text, start, end)
    foreign = [(first, last) for first, last, is_foreign in speech if is_foreign]
    pieces: list[_Piece] = []
    begun, next_speech = start, 0
    for found in _END.finditer(text, start, end):
        while next_speech < len(speech) and speech[next_speech][1] <= found.start():
            next_speech += 1
        inside = next_speech < len(speech) and speech[next_speech][0] < found.start()
        # A quotation is one piece, but its own full stop may end the sentence around it.
        if inside and (
            found.end() < speech[next_speech][1] or text[found.end() : found.end() + 1].islower()
        ):
            continue
        head = text[max(begun, found.start() - 12) : found.start() + 1]
        if found.end() < end and text[found.start()] == "." and _ABBREVIATION.search(head):
            continue
        pieces.append(_piece(text, begun, found.end(), block, foreign))
        begun = found.end()
    if begun < end:
        pieces.append(_piece(text, begun, end, block, foreign))
    return pieces


def _piece(text: str, start: int, end: int, block: int, foreign: list[tuple[int, int]]) -> _Piece:
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    is_own = end - start <= LONGEST_SENTENCE
    if is_own:
        said = text[start:end]
        before = bisect_left(foreign, (end,))
        is_own = (before == 0 or foreign[before - 1][1] <= start) and (
            (_SAYS.search(said) is None and _CITES.match(said) is None)
            or _FIRST_PERSON_SAYS.search(said) is not None
        )
    return _Piece(start, end, block, is_own)


def _speech(text: str, start: int, end: int) -> list[tuple[int, int, bool]]:
    """The quotations between two places, each with whether it is somebody's speech."""
    found: list[tuple[int, int, bool]] = []
    position = start
    # Where the next closing mark of each kind is: it is looked for only once it is passed, so
    # that marks which never close cost one look and not one each.
    closes: dict[str, int] = {}
    while (opening := _OPENING.search(text, position, end)) is not None:
        position = opening.end()
        mark = opening[0]
        before = text[opening.start() - 1] if opening.start() > start else " "
        if mark in "'\"‘" and (before.isalnum() or before in ")]`"):
            continue
        if closes.get(mark, start) < position:
            closing = _CLOSING[mark].search(text, position, end)
            closes[mark] = closing.start() if closing else sys.maxsize
        close = closes[mark]
        if close - position > LONGEST_SENTENCE:
            continue
        found.append((opening.start(), close + 1, _is_speech(text, start, opening.start(), close)))
        position = close + 1
    return found


def _is_speech(text: str, start: int, opening: int, close: int) -> bool:
    inner = text[opening + 1 : close]
    words = len(inner.split()) + len(_CJK.findall(inner)) / 2
    if words < _SPEECH_WORDS:
        return False
    before = text[start:opening].rstrip()
    return (
        words >= _LONG_SPEECH_WORDS
        or not before
        or before[-1] in ":：,，.。!?！？"
        or inner.rstrip()[-1:] in (".", "!", "?", "。", "！", "？")
    )


def _tidy(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
