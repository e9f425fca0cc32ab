"""The path of a new topic file: `<type>/<slug>.md` (spec section 8).

Invariant: a slug is one file name that every common file system takes and that leads nowhere else,
and a path collides with no other path of the store, also where the file system tells neither case
nor Unicode composition apart.

Rules chosen here: letters and digits of any script stay, with the marks that belong to them; what
is drawn as nothing goes like a blank. A name that means something to a system or an agent counts
as taken, so that it gets a number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator

from memtui.engine.types import MemoryType, Snapshot

SLUG_CHARACTERS = 60
"""Code points that a slug may have, its number included."""

FILE_NAME_BYTES = 200
"""UTF-8 bytes that the name of a new file may have, `.md` included."""

FALLBACK = "memory"
"""The stem of a summary without a letter or digit; as it names an index, it gets a number."""

_ENDING = ".md"
_MIN_WORD_CUT = 30
"""A slug is cut at a `-` only where this many characters stay."""

_RESERVED = frozenset(("memory", "claude", "qwen", "agents", "con", "prn", "aux", "nul"))
_RESERVED_PORT = re.compile(r"(?:com|lpt)\d\Z")
_HIDDEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
_SELECTORS = (("\ufe00", "\ufe0f"), ("\U000e0100", "\U000e01ef"))


def file_key(path: str) -> str:
    """What two paths have in common where a file system may take them for one.

    Unicode's canonical caseless form, so that composition and case make no difference.
    """
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())


def slug(summary: str, taken: Container[str] = frozenset()) -> str:
    """A file name, without its ending, made of the words of `summary`.

    `taken` are the `file_key`s of stems that it must not have; then it ends in `-2`, `-3` and so
    on. At most 60 code points, and 200 bytes with `.md`; never empty.
    """
    words = "-".join(_words(summary)) or FALLBACK
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        stem = _cut(words, suffix) + suffix
        key = file_key(stem)
        if key not in taken and not _is_reserved(key):
            return stem
        number += 1


class TopicPaths:
    """Gives new topic files their paths, each once."""

    def __init__(self, snapshot: Snapshot) -> None:
        """`snapshot` is the store that the files go to; what could not be read counts too."""
        self._taken: set[str] = set()
        for document in snapshot.documents:
            self._take(document.path)
        for problem in snapshot.problems:
            self._take(problem.path)
        for path in snapshot.indexes:
            self._take(path)

    def is_free(self, path: str) -> bool:
        """True where `path` collides with nothing that is there or was given."""
        return file_key(path) not in self._taken

    def give(self, type_: MemoryType, summary: str, wanted: str = "") -> str:
        """A free path for a memory, taken from now on.

        `wanted` itself where it is free and such a path: the folder of the type and a slug.
        """
        path = wanted
        if not _is_topic_path(wanted, type_) or not self.is_free(wanted):
            path = f"{type_}/{slug(summary, _Stems(self._taken, type_))}{_ENDING}"
        self._take(path)
        return path

    def _take(self, path: str) -> None:
        """Also the folders: a folder may be called like a file."""
        key = file_key(path)
        while key:
            self._taken.add(key)
            key = key.rpartition("/")[0]


class _Stems:
    """The stems that are taken in one folder."""

    def __init__(self, taken: Container[str], folder: str) -> None:
        self._taken = taken
        self._folder = file_key(folder)

    def __contains__(self, stem: object) -> bool:
        return f"{self._folder}/{stem}{_ENDING}" in self._taken


def _is_topic_path(path: str, type_: MemoryType) -> bool:
    stem = path.removeprefix(f"{type_}/").removesuffix(_ENDING)
    return path == f"{type_}/{stem}{_ENDING}" and slug(stem) == stem


def _words(summary: str) -> Iterator[str]:
    """The runs of letters and digits, in small letters."""
    text = unicodedata.normalize("NFC", summary.encode("utf-8", "replace").decode().lower())
    word = ""
    for character in text:
        category = unicodedata.category(character)
        is_kept = category[0] == "L" or category == "Nd" or (category[0] == "M" and word != "")
        if is_kept and not _is_hidden(character):
            word += character
        elif word:
            yield word
            word = ""
    if word:
        yield word


def _is_hidden(character: str) -> bool:
    """True for letters and marks that are drawn as nothing."""
    return character in _HIDDEN or any(first <= character <= last for first, last in _SELECTORS)


def _is_reserved(key: str) -> bool:
    return key in _RESERVED or _RESERVED_PORT.match(key) is not None


def _cut(words: str, suffix: str) -> str:
    """The start of a slug that has room for `suffix`, cut between words where it can be."""
    room = SLUG_CHARACTERS - len(suffix)
    room_bytes = FILE_NAME_BYTES - len(_ENDING) - len(suffix)
    start = words[:room].encode()[:room_bytes].decode("utf-8", "ignore")
    if len(start) == len(words):
        return words
    if words[len(start)] == "-":
        return start
    at = start.rfind("-")
    if at >= _MIN_WORD_CUT:
        return start[:at]
    end = len(start)
    while end > 1 and unicodedata.category(words[end])[0] == "M":
        end -= 1
    return start[:end].rstrip("-")
