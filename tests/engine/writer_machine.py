"""The writer under everything that happens to a store at once, as a hypothesis state machine.

Each step is an act or an undo of ours: whole, with calls that fail, with an agent at work in the
middle of it, or ended by the death of its process; or a change by an agent, or a start of memtui.
After each step the disk must be as the model says:

- an act is there whole or not at all, and what others wrote in the middle of it stays;
- what an act displaced is in its journal entry, and an undo brings exactly that back;
- no temporary file, no lock and no open act is left, but between a death and the next start.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memtui.engine.disk.store import StoreWriter
from memtui.engine.errors import LockedError, MemtuiError, UnknownIdError
from tests.engine.faults import FaultyCalls
from tests.engine.forked import DIED, ForkServer, nothing
from tests.engine.writer_ground import (
    ERRORS,
    KEYS,
    OUTSIDE,
    PLACES,
    REFUSED,
    Deed,
    Ground,
    ShortCalls,
    TwiceCalls,
    Visit,
    Watch,
    do_and_die,
    planned,
)
from tests.engine.writer_model import (
    INDEX,
    NOW,
    Act,
    Changed,
    Files,
    Pending,
    next_to_undo,
    same,
    undo_of,
    with_changes,
    with_keys,
)
from tests.engine.written_store import Found

STEPS = 30

_positions = st.integers(0, 110) | st.integers(40, 80)
"""Calls of an act; files take their places in the second range."""


def _position(data: st.DataObject, visit: Visit | None) -> int:
    """The call at which something goes wrong; soon after others were there, if they were."""
    if visit is None:
        return data.draw(_positions)
    return visit.at + data.draw(st.integers(0, 25))


_when_settled = precondition(lambda machine: machine.pending is None)
_when_done = precondition(lambda machine: machine.pending is None and machine.acts)


class WriterMachine(RuleBasedStateMachine):
    """See the top of the file. The test sets `server` and `parent`; `counts` is for its report."""

    server: ClassVar[ForkServer]
    parent: ClassVar[Path]
    counts: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(dir=self.parent))
        self.ground = Ground(self.root)
        self.files = self.ground.files()
        self.meta = self.ground.meta()
        self.acts: list[Act] = []
        self.pending: Pending | None = None
        self.has_rubble = False
        """A call failed for good: temporary files may be left until the next start."""
        self.steps = -1  # what must be is looked at before the first as well

    def teardown(self) -> None:
        steps = self.steps
        self._start(Deed(self.ground.stores))
        self.is_as_told()
        for act in self.acts:
            assert self.ground.before_images(act.id) == act.contents_before()
        shutil.rmtree(self.root)
        self.counts["runs"] += steps >= STEPS
        self.counts["steps"] += steps

    # What agents do

    @rule(data=st.data(), kind=st.sampled_from((*OUTSIDE, "restore", "state")))
    def outsider(self, data: st.DataObject, kind: str) -> None:
        if kind == "state":
            key = data.draw(st.sampled_from(("theirs", *KEYS)))
            value = f"theirs {self.ground.next_version()}"
            self.ground.write_meta({**self.ground.meta(), key: value})
            (self.meta if self.pending is None else self.pending.theirs)[key] = value
        elif kind == "restore":
            # As a checkout of an older version does.
            if self.pending is None and self.acts:
                for place, before in self._one_of_acts(data).before.items():
                    if before is not None:
                        self.files[place] = self.ground.write(place, before.content)
        else:
            found = self.ground.files()
            changed = self.ground.outside(kind, data.draw(PLACES), data.draw(PLACES))
            if self.pending is None:
                self.files = with_changes(self.files, changed)
            else:
                self.pending.note(found, changed)

    # What memtui does

    @_when_settled
    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        self._act(data, "whole")

    @_when_settled
    @rule(data=st.data())
    def act_that_fails(self, data: st.DataObject) -> None:
        self._act(data, "fails")

    @_when_settled
    @rule(data=st.data())
    def act_that_dies(self, data: st.DataObject) -> None:
        self._act(data, "dies")

    @_when_settled
    @rule(data=st.data())
    def act_amid_others(self, data: st.DataObject) -> None:
        self._act(data, "amid")

    def _act(self, data: st.DataObject, how: str) -> None:
        act = planned(data, self.ground, self.files, self.meta)
        self._do(Deed(self.ground.stores, self.ground.sets(act)), Pending(act), how, data)

    @_when_done
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        self._undo(data, "whole")

    @_when_done
    @rule(data=st.data())
    def undo_that_fails(self, data: st.DataObject) -> None:
        self._undo(data, "fails")

    @_when_done
    @rule(data=st.data())
    def undo_that_dies(self, data: st.DataObject) -> None:
        self._undo(data, "dies")

    @_when_done
    @rule(data=st.data())
    def undo_amid_others(self, data: st.DataObject) -> None:
        self._undo(data, "amid")

    def _undo(self, data: st.DataObject, how: str) -> None:
        """Undo, and redo: an undo of an act that is one."""
        is_named = data.draw(st.booleans())
        act = self._one_of_acts(data) if is_named else next_to_undo(self.acts)
        deed = Deed(self.ground.stores, (), True, act.id if act and is_named else None)
        if act is None:
            with pytest.raises(UnknownIdError):
                deed.do(self.ground.state_dir, ShortCalls())
        else:
            self._do(deed, Pending(undo_of(act, self.files, self.meta), undone=act), how, data)

    @_when_done
    @rule(data=st.data())
    def undo_of_what_is_as_it_was_left(self, data: st.DataObject) -> None:
        """Whatever was between: the bytes that an act displaced come back exactly."""
        act = self._one_of_acts(data)
        for place, found in act.after.items():
            self.ground.path(place).unlink(missing_ok=True)
            if found is not None:
                self.ground.write(place, found.content)
        self.files = self.ground.files()
        self.meta = with_keys(self.meta, act)
        self.ground.write_meta(self.meta)
        deed = Deed(self.ground.stores, (), True, act.id)
        undo = undo_of(act, self.files, self.meta)
        self._do(deed, Pending(undo, undone=act), "whole", data)
        for place, found in act.before.items():
            now = self.files.get(place)
            assert (now and now.content) == (found and found.content)

    @precondition(lambda self: self.pending is None and self.acts and not self.has_rubble)
    @rule(data=st.data())
    def purge(self, data: st.DataObject) -> None:
        act = self._one_of_acts(data)
        self.acts.remove(act)
        assert StoreWriter(self.ground.state_dir).purge(self.ground.stores, act.id)

    @_when_settled
    @rule(data=st.data(), is_alive=st.booleans())
    def act_under_the_lock_of_an_agent(self, data: st.DataObject, is_alive: bool) -> None:
        self.server.run(nothing)
        pid = os.getppid() if is_alive else self.server.last_pid
        self.ground.lock.write_text(str(pid))
        found = self.ground.everything()
        act = planned(data, self.ground, self.files, self.meta)
        if not act.keys and all(number for number, _path in act.before):
            self.ground.lock.unlink()
            return
        deed = Deed(self.ground.stores, self.ground.sets(act))
        with pytest.raises(LockedError) as raised:
            deed.do(self.ground.state_dir, ShortCalls())
        assert ("is a stale lock" in str(raised.value)) is not is_alive
        assert self.ground.everything() == found
        self.ground.lock.unlink()

    @precondition(lambda self: self.pending is not None)
    @rule()
    def act_without_a_start(self) -> None:
        """It puts back what is in its stores before it does anything."""
        version = self.ground.next_version()
        places = [(number, f"new {version}.md") for number in (0, 1)]
        new = Found(b"%d" % version, NOW, self.ground.new_mode)
        act = Act(dict.fromkeys(places), dict.fromkeys(places, new))
        Deed(self.ground.stores, self.ground.sets(act)).do(self.ground.state_dir, ShortCalls())
        self._settle(act)

    @rule(data=st.data(), how=st.sampled_from(("whole", "fails", "dies", "locked")))
    def start(self, data: st.DataObject, how: str) -> None:
        stores = self.ground.stores
        deed = Deed(stores if data.draw(st.booleans()) else stores[::-1])
        if how == "dies":
            self._dies(deed, data)
        elif how == "fails":
            self._try(deed, self._failing(data)[0])
        elif how == "locked":
            self.ground.lock.unlink(missing_ok=True)
            self.ground.lock.write_text(str(os.getppid()))
            self._try(deed, ShortCalls())
            self.ground.lock.unlink()
        self._start(deed)

    # How it goes

    def _start(self, deed: Deed) -> None:
        deed.do(self.ground.state_dir, ShortCalls())
        self._settle()
        self.has_rubble = False
        assert list(self.ground.state_dir.rglob(".*")) == []
        assert list(self.ground.state_dir.rglob("*.json.new")) == []
        assert self.ground.is_settled()

    def _do(self, deed: Deed, pending: Pending, how: str, data: st.DataObject) -> None:
        # A folder that an earlier failure left empty may go with the next act.
        with_folders = not self.has_rubble
        before = self.ground.everything(with_folders=with_folders)
        self.pending = pending
        visit = None
        if pending.act.is_empty:
            how, pending.ends = "whole", ("before",)
        elif how == "amid" or (how != "whole" and data.draw(st.booleans())):
            visit = self._visit(data)
        if how == "dies":
            if not self._dies(deed, data, visit):
                self._settle()
            return
        calls, is_single = ShortCalls(watch=self._watch(visit)), True
        if how == "fails":
            calls, is_single = self._failing(data, visit)
        error = self._try(deed, calls)
        self._came_to(error is None)
        if error is not None:
            self.counts["refused" if how == "amid" else "failed"] += 1
            assert how == "fails" or pending.touched
            if is_single and not pending.touched:
                assert self.ground.everything(with_folders=with_folders) == before
        self.has_rubble = self.has_rubble or not is_single
        if how == "fails" and not self.ground.is_closed():
            self.counts["left open"] += 1
            return
        self._settle()

    def _came_to(self, is_done: bool) -> None:
        """A deed was done or refused; one that found nothing to do any more is done as well."""
        pending = self.pending
        assert pending is not None
        if not is_done:
            pending.ends = ("before",)
        elif not pending.act.is_empty:
            pending.ends = ("before", "after") if pending.touched else ("after",)
            self.counts["went on"] += bool(pending.touched)

    def _try(self, deed: Deed, calls: FaultyCalls) -> MemtuiError | None:
        try:
            deed.do(self.ground.state_dir, calls)
        except MemtuiError as error:
            return error
        return None

    def _dies(self, deed: Deed, data: st.DataObject, visit: Visit | None = None) -> bool:
        at = _position(data, visit)
        with self.server.child(do_and_die, self.ground, deed, at, visit) as child:
            for told in child.messages:
                found, changed = cast(tuple[Files, Changed], told)
                assert self.pending is not None
                self.pending.note(found, changed)
        self.ground.next_version()  # the child has taken it
        assert self.server.status in (0, DIED, REFUSED)
        if self.server.status != DIED and deed.is_act:
            self._came_to(self.server.status == 0)
            assert self.server.status == 0 or (self.pending and self.pending.touched)
        self.counts["died"] += self.server.status == DIED
        return self.server.status == DIED

    def _failing(self, data: st.DataObject, visit: Visit | None = None) -> tuple[ShortCalls, bool]:
        """Calls that fail, and whether it is one alone."""
        at, error = _position(data, visit), data.draw(st.sampled_from(ERRORS))
        how = data.draw(st.sampled_from(("once", "twice", "from then on")))
        watch = self._watch(visit)
        if how == "twice":
            return TwiceCalls(at, at + data.draw(st.integers(1, 20)), error, watch), False
        return ShortCalls(at, error, persists=how != "once", watch=watch), how == "once"

    def _visit(self, data: st.DataObject) -> Visit:
        """What an agent does in the middle of the act that is on its way; near it, mostly."""
        near = PLACES
        if self.pending is not None and self.pending.act.before:
            near = st.sampled_from(sorted(self.pending.act.before))
        kind = data.draw(st.sampled_from(OUTSIDE))
        return Visit(data.draw(_positions), kind, data.draw(near), data.draw(near | PLACES))

    def _watch(self, visit: Visit | None) -> Watch:
        pending, count = self.pending, itertools.count(1)

        def watch(name: str, arguments: tuple[Any, ...]) -> None:
            if visit is not None and visit.is_due(next(count), name, arguments, self.ground):
                found = self.ground.files()
                changed = self.ground.outside(visit.kind, visit.place, visit.other)
                assert pending is not None
                pending.note(found, changed)

        return watch

    def _one_of_acts(self, data: st.DataObject) -> Act:
        return self.acts[-1 - data.draw(st.integers(0, len(self.acts) - 1))]

    # What must be

    def _settle(self, extra: Act | None = None) -> None:
        """The disk is as before the pending act or as after it, and nothing is left of it."""
        pending = self.pending or Pending(Act({}, {}), ("before",))
        self.pending = None
        assert self.ground.is_closed()
        known = {act.id for act in self.acts}
        new = [act_id for act_id in self.ground.applied() if act_id not in known]
        acts = [] if extra is None else [extra]
        end = "after" if len(new) > len(acts) else "before"
        assert end in pending.ends
        self.counts[end] += not pending.act.is_empty
        if end == "after":
            acts.insert(0, pending.act)
        assert len(new) == len(acts)
        wanted, meta, now = self.files, self.meta, self.ground.files()
        for act in acts:
            wanted, meta = with_changes(wanted, act.after), with_keys(meta, act)
        for place in {*wanted, *now, *pending.touched} - pending.touched.keys():
            ends = {wanted.get(place)}
            if place[1] == INDEX and end == "after" and pending.touched:
                ends |= pending.reversals(place, self.files.get(place))
            assert any(same(now.get(place), each) for each in ends), place
        for place in pending.touched:
            assert any(same(now.get(place), each) for each in pending.allowed(place)), place
        self.meta = {**meta, **pending.theirs}
        self.files = now
        for act, act_id in zip(acts, new, strict=True):
            texts = (pending.undone, act) if pending.undone else (act,)
            self.acts.append(self.ground.recorded(act, act_id, pending.touched, texts))
        self.counts[f"overwritten, then {end}"] += bool(pending.displaced)
        for content in pending.displaced:
            assert self.ground.has_image(content)

    @invariant()
    def is_as_told(self) -> None:
        self.steps += 1
        if self.pending is not None:
            return
        now = self.ground.files()
        assert now == self.files
        assert self.ground.meta() == self.meta
        assert not self.ground.lock.exists()
        assert self.ground.is_closed()
        if not self.has_rubble:
            assert self.ground.temporaries() == []
