"""What a link target names in a store (spec sections 7 and 13).

Invariant: a target is only ever compared with the paths of a snapshot. Nothing outside the memory
directory is looked at, and no file is opened.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple
from urllib.parse import unquote

from memtui.engine.format.inline import LinkForm, is_external, may_name_topic
from memtui.engine.types import Snapshot

ResolveStatus = Literal["found", "near", "missing", "outside", "other"]
"""`near`: nothing of that name, but a file whose name differs in case or blanks only; `outside`:
the target leads out of the store; `other`: a URL, an anchor, or a kind of file no snapshot holds.
"""

_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_JOINTS = re.compile(r"[\s_-]+")


class Resolved(NamedTuple):
    """What a target leads to; `path` is relative to the memory directory, None unless it exists.

    With status `near` it is the file that was probably meant.
    """

    status: ResolveStatus
    path: str | None = None

    @property
    def is_found(self) -> bool:
        """True where the target names a file as it is written."""
        return self.status == "found"

    @property
    def is_broken(self) -> bool:
        """True for a link that leads nowhere in its store (rule `broken-link`)."""
        return self.status in ("near", "missing")


_OTHER = Resolved("other")
_OUTSIDE = Resolved("outside")
_MISSING = Resolved("missing")


def fold_case(path: str) -> str:
    """`path` for comparing without case, and with accents composed."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def _near_key(name: str) -> str:
    return _JOINTS.sub("-", fold_case(name).strip())


def _stem(path: str) -> str:
    name = posixpath.basename(path)
    return name[:-3] if name[-3:].lower() == ".md" else name


def _loose(stem: str) -> str:
    return stem.replace("-", "_")


def spellings(target: str) -> Iterator[str]:
    """What `target` can mean, the literal name first: unescaped, decoded, without its `#part`."""
    yield target
    plain = _ESCAPE.sub(r"\1", target) if "\\" in target else target
    if plain != target:
        yield plain
    if "%" in plain:
        yield unquote(plain, errors="surrogateescape")
    bare = plain.partition("#")[0]
    if bare != plain:
        yield bare
        if "%" in bare:
            yield unquote(bare, errors="surrogateescape")
    if "\\" in target:
        yield target.replace("\\", "/")


class Resolver:
    """Looks up link targets among the files of one snapshot; its tables are made when needed."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._documents = snapshot.documents
        self._indexes = snapshot.indexes
        self._memory_dir = posixpath.normpath(snapshot.store.memory_dir.as_posix())
        self.paths = {document.path for document in snapshot.documents}
        self.paths.update(snapshot.indexes)

    def resolve(self, form: LinkForm, target: str, base: str = "") -> Resolved:
        """What `target` leads to from a file in the folder `base` (relative, `""` for the top)."""
        if form == "wiki":
            return self.wiki(target, base)
        return self.link(target, base)

    def link(self, target: str, base: str = "") -> Resolved:
        """A path relative to `base`: the literal name first, then decoded, then with `.md`."""
        is_outside = False
        places: list[str] = []
        for spelling in spellings(target):
            if not base and spelling in self.paths:
                return Resolved("found", spelling)
            place = self._place(spelling, base)
            if place is None:
                is_outside = True
            elif place in self.paths:
                return Resolved("found", place)
            else:
                places.append(place)
        if is_external(target):
            return _OTHER
        if is_outside:
            return _OUTSIDE
        if not may_name_topic(target):
            return _OTHER
        for place in places:
            if place + ".md" in self.paths:
                return Resolved("found", place + ".md")
        for table, key in ((self._cased_paths, fold_case), (self._near_paths, _near_key)):
            for place in places:
                near = table.get(key(place)) or table.get(key(place + ".md"))
                if near:
                    return Resolved("near", near)
        return _MISSING

    def wiki(self, name: str, base: str = "") -> Resolved:
        """A wiki name: by stem, by `name:`, by stem up to `-` and `_`, then as a path with `.md`.

        Of several files the one in the folder `base` counts, else the first in path order. A name
        with `/` is a path, from `base` or from the top, or the end of one.
        """
        for spelling in (name, name[:-3]) if name[-3:].lower() == ".md" else (name,):
            found = self._wiki_exact(spelling, base)
            if found:
                return Resolved("found", found)
        key = _near_key(name[:-3] if name[-3:].lower() == ".md" else name)
        near = self._near_names.get(key) or self._near_paths.get(_near_key(f"{name}.md"))
        return Resolved("near", near) if near else _MISSING

    def differs_in_case_only(self, target: str, path: str) -> bool:
        """True where `target`, in any spelling, is `path` but for the case of letters."""
        wanted = fold_case(path)
        places = (self._place(spelling, "") for spelling in spellings(target))
        return any(
            place is not None and fold_case(place) in (wanted, wanted.removesuffix(".md"))
            for place in places
        )

    def by_basename(self, target: str) -> str | None:
        """The one topic file that has the last part of `target` as its name; several: None."""
        for spelling in spellings(target):
            name = posixpath.basename(spelling)
            found = self._basenames.get(name) or self._basenames.get(name + ".md")
            if found:
                return found
        return None

    def _wiki_exact(self, name: str, base: str) -> str | None:
        if "/" in name:
            return self._wiki_path(name, base)
        return (
            self._nearest(self._stems.get(name), base)
            or self._nearest(self._names.get(name), base)
            or self._nearest(self._loose_stems.get(_loose(name)), base)
        )

    def _wiki_path(self, name: str, base: str) -> str | None:
        for folder in (base, ""):
            for ending in (".md", ""):
                place = self._place(name + ending, folder)
                if place in self.paths:
                    return place
        ends = self._stems.get(posixpath.basename(name), [])
        fitting = [path for path in ends if f"/{path}".endswith(f"/{name.lstrip('/')}.md")]
        return fitting[0] if len(fitting) == 1 else None

    def _nearest(self, paths: list[str] | None, base: str) -> str | None:
        if not paths:
            return None
        if len(paths) > 1:
            for path in paths:
                if posixpath.dirname(path) == base:
                    return path
        return paths[0]

    def _place(self, target: str, base: str) -> str | None:
        """`target` as a path in the store; None where it leads out of it."""
        if _DRIVE.match(target) or target.startswith("~/"):
            return None
        if target.startswith("/"):
            place = posixpath.normpath(target)
        else:
            place = posixpath.normpath(posixpath.join(base, target))
            if place != ".." and not place.startswith("../"):
                return place
            place = posixpath.normpath(posixpath.join(self._memory_dir, place))
        inside = self._memory_dir.rstrip("/") + "/"
        return place[len(inside) :] if place.startswith(inside) else None

    @cached_property
    def _sorted_paths(self) -> list[str]:
        return sorted(self.paths)

    @cached_property
    def _cased_paths(self) -> dict[str, str]:
        cased: dict[str, str] = {}
        for path in self._sorted_paths:
            cased.setdefault(fold_case(path), path)
        return cased

    @cached_property
    def _near_paths(self) -> dict[str, str]:
        near: dict[str, str] = {}
        for path in self._sorted_paths:
            near.setdefault(_near_key(path), path)
        return near

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        stems: dict[str, list[str]] = {}
        for path in self._sorted_paths:
            stems.setdefault(_stem(path), []).append(path)
        return stems

    @cached_property
    def _loose_stems(self) -> dict[str, list[str]]:
        stems: dict[str, list[str]] = {}
        for path in self._sorted_paths:
            stems.setdefault(_loose(_stem(path)), []).append(path)
        return stems

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """By a `name:` that the file really has, not by a heading or stem in its place."""
        names: dict[str, list[str]] = {}
        for document in sorted(self._documents, key=lambda document: document.path):
            if any(field.key == "name" for field in document.fields):
                names.setdefault(document.name, []).append(document.path)
        return names

    @cached_property
    def _near_names(self) -> dict[str, str]:
        near: dict[str, str] = {}
        for stem, paths in self._stems.items():
            near.setdefault(_near_key(stem), paths[0])
        for name, paths in self._names.items():
            near.setdefault(_near_key(name), paths[0])
        return near

    @cached_property
    def _basenames(self) -> dict[str, str | None]:
        names: dict[str, str | None] = {}
        for document in self._documents:
            name = posixpath.basename(document.path)
            names[name] = None if name in names else document.path
        return names
