"""Telling listeners what changed, in order, from one thread.

Invariant: listeners are called outside the lock and never by the thread that has news; one that
raises hinders neither the others nor what comes next.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from memtui.engine.lifecycle.faults import sentence_of

T = TypeVar("T")

_MAX_PROBLEMS = 20


class Announcer(Generic[T]):
    """Calls listeners with what `add` is given; its thread lives while there is news.

    `changed` is the lock of who has news, and is notified when all is told; its lock can be taken
    again by the thread that holds it. `replaces` says of two values in a row that the second makes
    the first needless, as long as nobody was told of it.
    """

    def __init__(self, changed: threading.Condition, replaces: Callable[[T, T], bool]) -> None:
        self._changed = changed
        self._replaces = replaces
        self._listeners: list[Callable[[T], None]] = []
        self._news: deque[T] = deque()
        self._problems: deque[str] = deque(maxlen=_MAX_PROBLEMS)
        self.thread: threading.Thread | None = None
        """None while there is nothing to tell."""

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence for each of the last failures."""
        with self._changed:
            return tuple(self._problems)

    def subscribe(self, listener: Callable[[T], None]) -> Callable[[], None]:
        """Have `listener` called with what is added from now on; gives what ends that."""

        def call(value: T) -> None:  # one of its own, should the same listener come twice
            listener(value)

        def unsubscribe() -> None:
            with self._changed:
                if call in self._listeners:
                    self._listeners.remove(call)

        with self._changed:
            self._listeners.append(call)
        return unsubscribe

    def add(self, value: T) -> None:
        """Have the listeners called with `value`, soon."""
        with self._changed:
            if not self._listeners:
                return
            if self._news and self._replaces(self._news[-1], value):
                self._news.pop()
            self._news.append(value)
            if self.thread is not None:
                return
            self.thread = threading.Thread(target=self._tell, name="memtui-news", daemon=True)
            try:
                self.thread.start()
            except RuntimeError as error:  # the system has no thread left
                self.thread = None
                self._problems.append(f"News of tasks have to wait: {sentence_of(error)}.")

    def _tell(self) -> None:
        while True:
            with self._changed:
                if not self._news:
                    self.thread = None
                    self._changed.notify_all()
                    return
                value = self._news.popleft()
                listeners = tuple(self._listeners)
            for listener in listeners:
                if listener not in self._listeners:
                    continue  # it was taken away meanwhile
                try:
                    listener(value)
                except BaseException as error:
                    with self._changed:
                        self._problems.append(f"A listener to tasks failed: {sentence_of(error)}")
