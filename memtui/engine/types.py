"""The values that the engine passes around.

Invariant: every value is frozen. A value that is built once per file keeps what is derived from
it (`TopicDocument.derive`), so that a second look costs nothing. Values that are made many times
per file are named tuples, which are made in half the time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar, cast

T = TypeVar("T")

Scope = Literal["project", "user", "team"]
Agent = Literal["qwen", "claude", "none"]
MemoryType = Literal["user", "feedback", "project", "reference"]
StoreState = Literal["ok", "missing", "unreadable", "not-a-directory"]
IndexKind = Literal["managed", "hand-kept", "none"]
Scorer = Literal["classic", "weighted"]

SCORERS: tuple[Scorer, ...] = ("weighted", "classic")
"""Newest first (spec section 5)."""

SCOPES: tuple[Scope, ...] = ("project", "user", "team")
"""In the order of recall (spec section 5)."""

MEMORY_TYPES: tuple[MemoryType, ...] = ("user", "feedback", "project", "reference")
"""The four types an agent knows (spec section 2)."""

INDEX_NAME = "MEMORY.md"
PINNED_PREFIX = "pinned/"


class Span(NamedTuple):
    """A half-open range of bytes, `start` to `end`, in `TopicDocument.source`."""

    start: int
    end: int

    def of(self, source: bytes) -> bytes:
        """The bytes of `source` that the span covers."""
        return source[self.start : self.end]


class Problem(NamedTuple):
    """One thing wrong with a file: a rule of spec section 13 and one sentence."""

    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A file of a store that yields no document, and why."""

    path: str
    scope: Scope
    rule: str
    message: str


class Field(NamedTuple):
    """One key of a frontmatter: its text value and the span of its whole lines.

    Nested keys are written with a dot (`metadata.type`); their span is that of the top key.
    """

    key: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class TopicDocument:
    """One topic file, read (spec section 3).

    All spans lie in `source`: the file's own bytes where it is UTF-8, else its text encoded anew
    as UTF-8 for display. `lead`, `frontmatter` and `body` joined give `source`.
    """

    path: str
    """Relative to the memory directory, with `/`."""
    scope: Scope
    mtime_ns: int
    raw: bytes
    """The file's bytes, untouched."""
    source: bytes
    encoding: Literal["utf-8", "utf-16-le", "utf-16-be", "latin-1"]
    lead: Span
    """A byte order mark and blank lines before the first fence; empty in most files."""
    frontmatter: Span
    """Both fences and what is between them; empty where there is none."""
    body: Span
    fields: tuple[Field, ...]
    """In file order, without repeated keys."""
    name: str
    """The `name:` value; none: the first heading, else the stem of the path."""
    description: str
    type: str
    """As it is written, also one outside the four; empty where there is none."""
    type_place: Literal["top", "metadata", ""]
    problems: tuple[Problem, ...]
    link: str | None = None
    """The target as the link spells it, where the file is a symlink."""
    derived: dict[Callable[[TopicDocument], object], object] = field(
        default_factory=dict, repr=False
    )

    def derive(self, function: Callable[[TopicDocument], T]) -> T:
        """`function(self)`, computed once per document."""
        if function not in self.derived:
            self.derived[function] = function(self)
        return cast(T, self.derived[function])

    @property
    def body_text(self) -> str:
        """The body, decoded."""
        return self.derive(_body_text)

    @property
    def is_pinned(self) -> bool:
        """True below `pinned/`: shown and recalled, never touched in bulk (spec section 1)."""
        return self.path.startswith(PINNED_PREFIX)


def _body_text(document: TopicDocument) -> str:
    return document.body.of(document.source).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact in a topic file (spec section 3, Entries and Entry IDs)."""

    path: str
    scope: Scope
    index: int | None
    """0-based in a file of several entries; None where the body is one entry."""
    span: Span
    summary: str
    why: str | None
    how_to_apply: str | None
    digest: str
    """Four hexadecimal digits of a hash over the entry's bytes."""

    @property
    def id(self) -> str:
        """The Entry ID without scope and digest: `path`, or `path:index`."""
        return self.path if self.index is None else f"{self.path}:{self.index}"


@dataclass(frozen=True, slots=True)
class Store:
    """One memory directory and whose it is (spec section 1)."""

    scope: Scope
    agent: Agent
    memory_dir: Path
    """Absolute, as named: not resolved."""
    project_dir: Path | None = None
    """The working folder it belongs to, where known."""
    key: str | None = None
    state_dir: Path | None = None
    """Where the agent's `meta.json` and cursor lie; only for a Qwen project store."""
    sessions_dir: Path | None = None
    """Where the project's session files lie; None for user, team and named stores."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What one store held at one moment (spec section 4)."""

    store: Store
    state: StoreState
    documents: tuple[TopicDocument, ...] = ()
    """Scan order: mtime newest first, then path."""
    problems: tuple[FileProblem, ...] = ()
    indexes: Mapping[str, bytes] = field(default_factory=dict)
    """Every file named `MEMORY.md` below the store, by relative path."""
    message: str = ""
    """One sentence where the state is not `ok`."""

    @property
    def index(self) -> bytes | None:
        """The bytes of the store's own index; None where there is none."""
        return self.indexes.get(INDEX_NAME)


class Skip(NamedTuple):
    """An agent that does not see a file, and why (spec section 12)."""

    agent: Agent
    reason: str


class Verdict(NamedTuple):
    """Whether the store's agent sees a document; None where the store has no agent."""

    seen: bool | None
    skipped_by: tuple[Skip, ...] = ()


class Point(NamedTuple):
    """Points that one token earned in one field of one document (spec section 5)."""

    token: str
    field: Literal["text", "name", "description", "body", "type"]
    """`text` is the whole of a document (classic); `type` is a keyword of its type. The one point
    of `classic` for a body that is not empty has the field `body` and an empty token."""
    points: int


class Hit(NamedTuple):
    """One ranked document."""

    rank: int
    """1 is best."""
    document: TopicDocument
    score: int
    points: tuple[Point, ...]


class LeftOut(NamedTuple):
    """A document that is not injected, and the one reason (spec section 5, Explain)."""

    path: str
    scope: Scope
    name: str
    score: int
    reason: str


class Recall(NamedTuple):
    """What recall makes of one query."""

    query: str
    scorer: Scorer
    strategy: Literal["none", "heuristic"]
    tokens: tuple[str, ...]
    scanned: int
    """Documents looked at."""
    hits: tuple[Hit, ...]
    """The injected ones, at most `limit`."""
    prompt: str
    """The block put before the model; empty where nothing is injected."""


ChangeKind = Literal["added", "changed", "removed"]
StateName = Literal["meta.json", "extract-cursor.json", "cursors.json", "rejected.json"]
"""The agent's two state files, and two of memtui's own: the cursors of further sessions, and what
was undone or discarded and is not proposed again (spec sections 8, 9)."""

OWN_STATES: frozenset[StateName] = frozenset(("cursors.json", "rejected.json"))
"""The state files that lie in memtui's own folder for every store."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What lies at a path: its bytes and what goes with them."""

    content: bytes
    """Of a symlink: the bytes of the file that it leads to."""
    mtime_ns: int
    mode: int
    """Permission bits."""
    link: str | None = None
    """The target as the link spells it, where the path is a symlink."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a store before and after, and why (design section 1).

    `before` None: the path must not exist; `after` None: the file goes. A symlink that goes is
    removed itself; one that is edited keeps its place, and the file it leads to is edited.
    """

    path: str
    """Relative to the memory directory, with `/`."""
    before: bytes | None
    after: bytes | None
    reason: str
    """A short phrase for a person."""
    mtime_ns: int | None = None
    """The mtime that the file gets; None: the time of writing (spec section 3)."""
    mode: int | None = None
    """Permission bits for a file that comes into being; None: as a new file gets them."""
    link: str | None = None
    """With `before` or `after` None: the change removes or makes a symlink with this target."""

    @property
    def kind(self) -> ChangeKind:
        """Whether the file comes, goes or is edited."""
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"


@dataclass(frozen=True, slots=True)
class StateChange:
    """Keys of one of the store's state files before and after (spec section 11)."""

    name: StateName
    before: Mapping[str, object]
    """The keys that are set, as they were; a key that was missing is not in it."""
    after: Mapping[str, object]
    """The keys that are set, as they will be; a key of `before` that is not in it goes."""


class Proposal(NamedTuple):
    """One thing that a rule proposed: once undone or discarded it is not proposed again."""

    digest: str
    """See `proposal_digest`."""
    paths: tuple[str, ...]
    """The topic files that it changes."""


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Proposed changes to one store: pure values, made by a planner, applied by the writer."""

    store: Store
    operation: str
    """The verb: `forget`, `index`, `dream`, `undo` …"""
    changes: tuple[FileChange, ...]
    """In the order of applying; the index last."""
    state_changes: tuple[StateChange, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    """What a rule proposed of it; undoing the act remembers them."""
    details: Mapping[str, object] = field(default_factory=dict, hash=False)
    """What the log tells of the act beside its files: JSON values."""
    together: tuple[tuple[str, ...], ...] = ()
    """Topic files of which one holds what another loses: all of them change, or none."""

    @property
    def is_empty(self) -> bool:
        """True where nothing would be written."""
        return not self.changes and not self.state_changes

    def keeping(self, keeps: Callable[[Scope, str], bool]) -> ChangeSet:
        """The set with those changes only for whose scope and path `keeps` is true.

        What goes takes along what it changes `together` with.
        """
        scope = self.store.scope
        gone = {change.path for change in self.changes if not keeps(scope, change.path)}
        gone |= bound_to(gone, self.together)
        kept = tuple(change for change in self.changes if change.path not in gone)
        return replace(self, changes=kept)


def bound_to(paths: Collection[str], together: Iterable[Collection[str]]) -> set[str]:
    """All that is in a group with one of `paths`, or with one that is."""
    groups = [set(group) for group in together]
    found = set(paths)
    while joined := [group for group in groups if group & found and not group <= found]:
        found.update(*joined)
    return found - set(paths)
