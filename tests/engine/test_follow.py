"""Following: each completed turn once, none that was there before, whatever goes wrong."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from memtui.engine.errors import StoreError
from memtui.engine.lifecycle.follow import FollowedTurn, Follower

S = 10**9
START = 1_800_000_000 * S
SECONDS = 10.0


class Session(NamedTuple):
    path: Path
    mtime_ns: int


class Turn(NamedTuple):
    is_complete: bool
    message_count: int
    ended_ns: int


class Sessions:
    """The sessions of a project, with a clock in seconds since the start."""

    def __init__(self) -> None:
        self.turns: dict[str, Turn] = {}
        self.looks = 0
        self.reads: list[str] = []
        self.told: list[FollowedTurn] = []
        self.is_told = threading.Event()
        self.list_error: BaseException | None = None
        self.read_errors: dict[str, BaseException] = {}
        self.follower = self.new_follower()

    def new_follower(self, poll_s: float = 0.001) -> Follower:
        return Follower(self._list, self._read, self._tell, lambda: self.now_ns, poll_s=poll_s)

    now_ns = START

    def _list(self) -> list[Session]:
        self.looks += 1
        if self.list_error is not None:
            raise self.list_error
        return [Session(Path(f"/s/{name}.jsonl"), t.ended_ns) for name, t in self.turns.items()]

    def _read(self, path: Path) -> Turn:
        self.reads.append(path.stem)
        if path.stem in self.read_errors:
            raise self.read_errors[path.stem]
        return self.turns[path.stem]

    def _tell(self, turn: FollowedTurn) -> None:
        self.told.append(turn)
        self.is_told.set()

    def write(self, name: str, count: int, at_s: float, *, complete: bool = True) -> None:
        self.turns[name] = Turn(complete, count, START + round(at_s * S))

    def poll(self, at_s: float) -> tuple[str, int] | None:
        turn = self.follower.poll(START + round(at_s * S))
        return None if turn is None else (turn.session_id, turn.message_count)


@pytest.fixture
def sessions() -> Sessions:
    return Sessions()


def test_a_turn_is_told_once_after_five_seconds_of_quiet(sessions: Sessions) -> None:
    sessions.write("a", 4, -100)
    assert sessions.poll(0) is None
    assert sessions.follower.followed == "a"
    sessions.write("a", 6, 1)
    assert sessions.poll(1) is None
    assert sessions.poll(5.999) is None
    turn = sessions.follower.poll(START + 6 * S)
    assert turn == FollowedTurn("a", Path("/s/a.jsonl"), 6, START + S)
    assert sessions.poll(6) is None
    assert sessions.poll(100) is None


def test_what_was_complete_before_is_not_told(sessions: Sessions) -> None:
    sessions.write("a", 4, -5)
    assert [sessions.poll(at_s) for at_s in (0, 1, 10)] == [None] * 3
    sessions.write("a", 4, 11)  # touched, not grown
    assert [sessions.poll(at_s) for at_s in (11, 20)] == [None] * 2


def test_a_turn_that_was_not_over_yet_when_following_began_is_told(sessions: Sessions) -> None:
    sessions.write("a", 4, -2)
    assert sessions.poll(0) is None
    assert sessions.poll(2) is None
    assert sessions.poll(3) == ("a", 4)


def test_growth_starts_the_quiet_anew_and_tool_calls_are_no_end(sessions: Sessions) -> None:
    assert sessions.poll(0) is None
    sessions.write("a", 2, 1)
    assert sessions.poll(5) is None
    sessions.write("a", 3, 5.5, complete=False)
    assert [sessions.poll(at_s) for at_s in (6, 8, 60)] == [None] * 3
    sessions.write("a", 5, 61)
    assert sessions.poll(65) is None
    assert sessions.poll(66) == ("a", 5)


def test_a_folder_that_comes_later(sessions: Sessions) -> None:
    assert sessions.poll(0) is None
    assert sessions.follower.followed is None
    sessions.write("a", 2, 3)
    assert sessions.poll(8) == ("a", 2)
    sessions.turns.clear()
    assert sessions.poll(9) is None
    assert sessions.follower.followed is None


def test_the_newest_session_is_followed_and_the_one_before_ends_its_turn(
    sessions: Sessions,
) -> None:
    sessions.write("a", 2, -50)
    sessions.write("b", 8, -90)
    assert sessions.poll(0) is None
    sessions.write("a", 4, 1)
    assert sessions.poll(2) is None
    sessions.write("c", 1, 3, complete=False)
    assert sessions.poll(3) is None
    assert sessions.follower.followed == "c"
    assert sessions.poll(6) == ("a", 4)
    sessions.write("a", 6, 8)
    sessions.write("c", 3, 9)
    assert sessions.poll(9) is None
    assert {sessions.poll(14), sessions.poll(14)} == {("a", 6), ("c", 3)}
    assert sessions.poll(30) is None
    assert "b" not in sessions.reads


def test_an_old_session_is_no_news_when_the_newer_one_goes(sessions: Sessions) -> None:
    sessions.write("a", 2, -90)
    sessions.write("b", 2, -80)
    assert sessions.poll(0) is None
    del sessions.turns["b"]
    assert sessions.poll(1) is None
    assert sessions.follower.followed == "a"
    sessions.write("a", 4, 2)
    assert sessions.poll(7) == ("a", 4)


def test_a_session_that_shrinks(sessions: Sessions) -> None:
    sessions.write("a", 2, -90)
    assert sessions.poll(0) is None
    for count, at_s in ((4, 1), (6, 10)):
        sessions.write("a", count, at_s)
        assert sessions.poll(at_s + 5) == ("a", count)
    sessions.write("a", 4, 20)
    assert sessions.poll(25) is None, "that turn was told already"
    sessions.write("a", 6, 30)
    assert sessions.poll(35) == ("a", 6), "another turn in the place of the one that went"
    sessions.write("a", 3, 40)
    assert sessions.poll(45) == ("a", 3)


def test_an_mtime_in_the_future_counts_from_when_it_was_seen(sessions: Sessions) -> None:
    assert sessions.poll(0) is None
    sessions.write("a", 2, 1000)
    assert [sessions.poll(at_s) for at_s in (1, 3, 5.9)] == [None] * 3
    assert sessions.poll(6) == ("a", 2)
    sessions.write("a", 4, 1001)
    assert sessions.poll(10) is None
    assert sessions.poll(15) == ("a", 4)


def test_a_session_at_rest_is_not_read_again(sessions: Sessions) -> None:
    sessions.write("a", 2, -90)
    for at_s in range(10):
        assert sessions.poll(at_s) is None
    assert sessions.reads == ["a"]


def test_after_an_error_nothing_was_missed(sessions: Sessions) -> None:
    sessions.list_error = StoreError("/s cannot be read.")
    with pytest.raises(StoreError):
        sessions.poll(0)
    sessions.list_error = None
    sessions.write("a", 2, -90)
    sessions.read_errors["a"] = StoreError("/s/a.jsonl cannot be read.")
    with pytest.raises(StoreError):
        sessions.poll(1)
    assert sessions.follower.followed == "a"
    sessions.read_errors.clear()
    assert sessions.poll(2) is None
    sessions.write("a", 4, 3)
    sessions.read_errors["a"] = OSError("no")
    with pytest.raises(OSError, match="no"):
        sessions.poll(8)
    sessions.read_errors.clear()
    assert sessions.poll(9) == ("a", 4)


def test_a_session_that_was_left_and_cannot_be_read_holds_up_nobody(sessions: Sessions) -> None:
    assert sessions.poll(0) is None
    sessions.write("a", 2, 1)
    assert sessions.poll(1) is None
    sessions.write("b", 2, 2)
    sessions.read_errors["a"] = StoreError("gone")
    assert sessions.poll(7) == ("b", 2)


# With the thread.


def wait_for_problem(follower: Follower, problem: str) -> None:
    deadline_s = time.monotonic() + SECONDS
    while follower.problem != problem:
        assert time.monotonic() < deadline_s, follower.problem
        threading.Event().wait(0.001)


def test_the_thread_tells_and_stops(sessions: Sessions) -> None:
    follower = sessions.new_follower()
    sessions.write("a", 2, -90)
    assert not follower.is_running
    follower.start()
    follower.start()
    own = [thread for thread in threading.enumerate() if thread.name == "memtui-follow"]
    assert [thread.daemon for thread in own] == [True]
    assert follower.is_running
    while "a" not in sessions.reads:
        threading.Event().wait(0.001)
    sessions.write("a", 4, 1)
    sessions.now_ns = START + 6 * S
    assert sessions.is_told.wait(SECONDS)
    assert follower.stop()
    assert follower.stop()
    assert not own[0].is_alive()
    assert sessions.told == [FollowedTurn("a", Path("/s/a.jsonl"), 4, START + S)]


def test_the_thread_survives_errors_and_tells_them(sessions: Sessions) -> None:
    follower = sessions.new_follower()
    sessions.list_error = StoreError("/s cannot be read: no.")
    follower.start()
    wait_for_problem(follower, "/s cannot be read: no.")
    sessions.list_error = ZeroDivisionError("division")
    wait_for_problem(follower, "unexpected: ZeroDivisionError: division")
    sessions.list_error = None
    wait_for_problem(follower, "")
    sessions.write("a", 2, 1)
    sessions.now_ns = START + 6 * S
    assert sessions.is_told.wait(SECONDS)
    assert follower.stop()


def test_a_turn_that_cannot_be_taken_is_told_until_the_next_one_is(sessions: Sessions) -> None:
    taken: list[int] = []

    def take(turn: FollowedTurn) -> None:
        if turn.message_count == 2:
            raise StoreError("There is no store.")
        taken.append(turn.message_count)

    follower = Follower(sessions._list, sessions._read, take, lambda: sessions.now_ns, poll_s=0.001)
    follower.start()
    while sessions.looks < 2:
        threading.Event().wait(0.001)
    sessions.write("a", 2, 1)
    sessions.now_ns = START + 6 * S
    wait_for_problem(follower, "There is no store.")
    sessions.write("a", 4, 7)
    sessions.now_ns = START + 12 * S
    wait_for_problem(follower, "")
    assert follower.stop()
    assert taken == [4]


def test_it_stops_soon_and_following_anew_takes_stock_anew(sessions: Sessions) -> None:
    follower = sessions.new_follower(poll_s=60)
    follower.start()
    began_s = time.monotonic()
    assert follower.stop()
    assert time.monotonic() - began_s < 0.2
    sessions.write("a", 2, 1)
    sessions.now_ns = START + 60 * S
    follower.start()
    while sessions.reads != ["a"]:
        threading.Event().wait(0.001)
    assert follower.stop()
    assert follower.poll(START + 61 * S) is None
    assert sessions.told == []


def test_a_look_that_hangs_does_not_hold_up_stop(sessions: Sessions) -> None:
    entered, opened = threading.Event(), threading.Event()

    def hang() -> list[Session]:
        entered.set()
        assert opened.wait(SECONDS)
        raise StoreError("too late")

    follower = Follower(hang, sessions._read, sessions._tell, lambda: START)
    follower.start()
    assert entered.wait(SECONDS)
    assert not follower.stop()
    opened.set()
    for thread in threading.enumerate():
        if thread.name == "memtui-follow":
            thread.join(SECONDS)
    assert follower.problem == ""
