"""The project picker: every project of both agents, found as you type.

Invariant: it returns the project that was chosen, or None; it opens nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memtui.engine.disk.projects import Discovery, Project
from memtui.engine.errors import MemtuiError
from memtui.engine.matching import fuzzy_rank
from memtui.tui.format import age, fit, pad, plural, right
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.prompt import Prompt
from memtui.tui.widgets.rows import RowList

_SHOWN = 200
_FEWEST_ROWS, _MOST_ROWS = 4, 24


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """One project: name, where it lies, agent, memories, last use."""

    number: int
    project: Project
    marked: tuple[tuple[int, int], ...]
    """Spans of `label` that the query matched."""
    home: str
    now_ns: int

    @property
    def key(self) -> int:
        """The place in the discovery."""
        return self.number

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line."""
        project = self.project
        words = []
        if project.folders and not any(folder.exists for folder in project.folders):
            words.append("gone")
        if project.is_shared:
            words.append(f"shared by {len(project.folders)}")
        if project.problems:
            words.append("faulty")
        tail = Content.assemble(
            ("  ".join(["", *words, ""]) if words else "  ", palette.attention),
            (pad(project.agent, 7), palette.muted),
            (right(f"{project.documents:,}", 5), palette.text),
            (right(age(project.last_used_ns, self.now_ns), 6), palette.muted),
        )
        label = label_of(project, self.home)
        shown = fit(label, width - 1 - tail.cell_length)
        name = shown.rfind("/") + 1
        text = Content.assemble(
            (shown[:name], palette.muted),
            (shown[name:], palette.strong if has_cursor else palette.text),
        )
        for start, end in self.marked:
            text = text.stylize(palette.match, start, min(end, len(text)))
        return Content.assemble(
            " ", text, " " * max(0, width - 1 - text.cell_length - tail.cell_length), tail
        )


def label_of(project: Project, home: str) -> str:
    """The folder, with `~` for the home; the key where no folder is known. Safe to draw."""
    title = project.title
    if home and title.startswith(home + "/"):
        title = "~" + title[len(home) :]
    return safe_line(title)


class ProjectsDialog(ModalScreen[Project | None]):
    """Type to narrow, enter to open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", show=False),
    ]

    @dataclass
    class Discovered(Message):
        """The projects were found, or why they were not."""

        discovery: Discovery | None
        error: str

    def __init__(
        self,
        palette: Palette,
        discover: Callable[[], Discovery],
        home: Path | None,
        reason: str,
        now_ns: int,
    ) -> None:
        super().__init__()
        self.palette = palette
        self.discover = discover
        self.home = str(home) if home else ""
        self.reason = reason
        self.now_ns = now_ns
        self.discovery: Discovery | None = None

    def compose(self) -> ComposeResult:
        """Prompt over the list."""
        with Vertical(classes="dialog pane", id="projects-dialog"):
            with Horizontal(classes="prompt-line"):
                yield Static(Content.styled("› ", self.palette.key), classes="prompt-sign")
                yield Prompt(placeholder="which project?", id="project-query")
            yield Static("", id="projects-head")
            yield RowList(self.palette, id="projects", has_sticky_heads=False)
            yield LineView(id="projects-note")

    def on_mount(self) -> None:
        """Start looking."""
        frame = self.query_one("#projects-dialog")
        frame.border_title = "projects"
        self.query_one(RowList).light(True)
        self._note("looking for projects …")
        self.query_one(Prompt).focus()
        self.run_worker(self._look, thread=True, group="projects", exit_on_error=False)

    def _look(self) -> None:
        try:
            self.post_message(self.Discovered(self.discover(), ""))
        except (MemtuiError, OSError) as error:
            self.post_message(self.Discovered(None, str(error)))

    @on(Discovered)
    def _discovered(self, event: Discovered) -> None:
        self.discovery = event.discovery
        if event.error:
            self._note(event.error)
        self._narrow(self.query_one(Prompt).value)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._narrow(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(RowList).choose()

    @on(Prompt.Moved)
    def _moved(self, event: Prompt.Moved) -> None:
        event.stop()
        self.query_one(RowList).action_move(event.step)

    @on(Prompt.Paged)
    def _paged(self, event: Prompt.Paged) -> None:
        event.stop()
        self.query_one(RowList).action_page(event.direction)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if self.discovery is not None and isinstance(event.key, int):
            self.dismiss(self.discovery.projects[event.key])

    def _narrow(self, query: str) -> None:
        if self.discovery is None:
            return
        projects = self.discovery.projects
        labels = [label_of(project, self.home) for project in projects]
        if query.strip():
            found = [
                (match.index, tuple(match.spans)) for match in fuzzy_rank(query, labels, _SHOWN)
            ]
        else:
            found = [(number, ()) for number in range(len(projects))]
        rows = [
            ProjectRow(number, projects[number], spans, self.home, self.now_ns)
            for number, spans in found
        ]
        listed = self.query_one(RowList)
        listed.display = bool(rows)
        listed.styles.height = min(max(_FEWEST_ROWS, len(projects)), _MOST_ROWS)
        listed.show_rows(rows, keep="nothing")
        head = self.query_one("#projects-head", Static)
        said = f"{len(rows):,} of {plural(len(projects), 'project')}"
        head.update(Content.styled(self.reason or said, self.palette.muted))
        notes = list(self.discovery.problems)
        if not projects:
            notes.append(
                "No project with a memory was found. An agent makes one when it first stores"
                " something; `memtui --demo` shows a made-up one."
            )
        elif not rows:
            notes.append(f"No project fits “{query}”.")
        self._note(*notes)
        frame = self.query_one("#projects-dialog")
        frame.border_subtitle = Content.styled(f"{said} · enter opens", self.palette.muted)

    def _note(self, *sentences: str) -> None:
        """Say these below the list; nothing takes no room."""
        view = self.query_one(LineView)
        view.display = bool(sentences)
        text = "\n".join(map(safe_line, sentences))
        view.show_lines(lambda width: Content.styled(text, self.palette.muted).wrap(width))
