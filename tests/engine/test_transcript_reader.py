"""Session files that grow, break, are replaced, and cannot be read."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from memtui.engine.disk import session_file, transcripts
from memtui.engine.disk.transcripts import TranscriptReader
from memtui.engine.errors import RefusedError, StoppedError, StoreError
from memtui.engine.format.json_lines import Line, read_line
from memtui.engine.format.transcript import Message, SessionSummary
from memtui.engine.types import Agent
from tests.engine.session_building import (
    append,
    claude,
    claude_result,
    lines,
    session,
)
from tests.engine.unprivileged import run_without_privileges

FIRST = [claude("one", cwd="/w", version="2.1.200"), claude("two", "assistant")]


def texts(reader: TranscriptReader, path: Path) -> list[str]:
    return [message.text for message in reader.read(path, "claude").messages]


def lines_taken(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """A list that grows by each line that is read from now on."""
    taken: list[bytes] = []

    def counting(raw: bytes) -> Line:
        taken.append(raw)
        return read_line(raw)

    monkeypatch.setattr(session_file, "read_line", counting)
    return taken


@pytest.fixture
def reader() -> TranscriptReader:
    return TranscriptReader()


def test_what_a_transcript_tells(tmp_path: Path, reader: TranscriptReader) -> None:
    path = session(tmp_path, [{"type": "x"}, *FIRST, [1]])
    os.utime(path, ns=(5, 7))
    found = reader.read(path, "claude", start=1)
    assert (found.session_id, found.path, found.length) == ("s1", path, 2)
    assert found.messages == (Message(1, "assistant", "two", None, (), False),)
    assert (found.cwd, found.version, found.first_words) == ("/w", "2.1.200", "one")
    assert (found.mtime_ns, found.size_bytes) == (7, path.stat().st_size)
    assert (found.broken_lines, found.has_half_line) == (1, False)
    assert found.problem == "1 line is broken and passed over."
    assert reader.summary(path, "claude") == SessionSummary(
        *("s1", path, 7, path.stat().st_size, 2, 1, "one", "/w", "2.1.200", 1),
        "1 line is broken and passed over.",
    )


@pytest.mark.parametrize(("start", "wanted"), [(-3, [0, 1]), (0, [0, 1]), (2, []), (9, [])])
def test_a_start_outside_the_history(
    tmp_path: Path, reader: TranscriptReader, start: int, wanted: list[int]
) -> None:
    path = session(tmp_path, FIRST)
    for _ in range(2):
        found = reader.read(path, "claude", start=start)
        assert [message.number for message in found.messages] == wanted
        assert found.length == 2


def test_first_words_are_one_line_of_the_first_typed_message(
    tmp_path: Path, reader: TranscriptReader
) -> None:
    records = [claude("x", "assistant"), claude_result("t", "y"), claude("<command-name>/c")]
    path = session(tmp_path, [*records, claude("Never\n  do " + "that " * 90), claude("z")])
    words = reader.summary(path, "claude").first_words
    assert words.startswith("Never do that that")
    assert len(words) == 200
    assert reader.summary(session(tmp_path, records, "s2"), "claude").first_words == ""


class TestGrowth:
    def test_only_what_is_new_is_read(
        self, tmp_path: Path, reader: TranscriptReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = session(tmp_path, FIRST)
        assert texts(reader, path) == ["one", "two"]
        taken = lines_taken(monkeypatch)
        added = lines([claude("three")])
        append(path, added)
        assert reader.summary(path, "claude").messages == 3
        assert taken == [added[:-1], b""]
        taken.clear()
        assert reader.summary(path, "claude").messages == 3
        assert reader.turn(path, "claude").message_count == 3
        assert taken == [added[:-1]]

    @pytest.mark.parametrize("cut", [1, 40, -2, -1])
    def test_a_half_line_is_not_broken_for_good(
        self, tmp_path: Path, reader: TranscriptReader, cut: int
    ) -> None:
        path = session(tmp_path, FIRST)
        added = lines([claude("three")])
        append(path, added[:cut])
        found = reader.read(path, "claude")
        is_whole = cut == -1
        assert found.length == (3 if is_whole else 2)
        assert (found.broken_lines, found.has_half_line) == (not is_whole, not is_whole)
        assert found.problem == ("" if is_whole else "The last line is not complete.")
        assert reader.summary(path, "claude").has_half_line is not is_whole
        append(path, added[cut:] + lines([claude("four")]))
        found = reader.read(path, "claude")
        assert [message.text for message in found.messages] == ["one", "two", "three", "four"]
        assert (found.broken_lines, found.has_half_line, found.problem) == (0, False, "")

    def test_a_whole_record_before_a_half_one_is_read_once(
        self, tmp_path: Path, reader: TranscriptReader
    ) -> None:
        path = tmp_path / "s.jsonl"
        glued = lines([claude("öne")])[:-1] + lines([claude("two")])
        path.write_bytes(glued[:-20])
        assert texts(reader, path) == ["öne"]
        append(path, glued[-20:])
        assert texts(reader, path) == ["öne", "two"]
        assert reader.summary(path, "claude").broken_lines == 0

    def test_a_part_of_a_record_being_written_is_no_record(
        self, tmp_path: Path, reader: TranscriptReader
    ) -> None:
        inner = {"type": "user", "sessionId": "s", "message": {"content": "inner"}}
        outer = {"type": "progress", "data": inner, "more": 1, "sessionId": "s"}
        path = tmp_path / "s.jsonl"
        path.write_bytes(lines([outer])[:-12])
        assert reader.read(path, "claude").length == 0
        append(path, lines([outer])[-12:])
        found = reader.read(path, "claude")
        assert (found.length, found.broken_lines) == (0, 0)

    def test_after_a_crash_the_agent_goes_on_in_the_same_line(
        self, tmp_path: Path, reader: TranscriptReader
    ) -> None:
        path = session(tmp_path, FIRST)
        append(path, b"\0" * 64)
        assert reader.read(path, "claude").broken_lines == 1
        append(path, lines([claude("three")]))
        assert texts(reader, path) == ["one", "two", "three"]
        assert reader.read(path, "claude").broken_lines == 1

    def test_a_splice_on_a_last_line_without_end(
        self, tmp_path: Path, reader: TranscriptReader
    ) -> None:
        path = tmp_path / "s.jsonl"
        path.write_bytes(lines([claude("one")])[:-30] + lines([claude("two")])[:-1])
        for _ in range(2):
            found = reader.read(path, "claude")
            assert [message.text for message in found.messages] == ["two"]
            assert (found.broken_lines, found.has_half_line) == (1, False)
            append(path, b"\n")

    def test_numbers_stay(self, tmp_path: Path, reader: TranscriptReader) -> None:
        path = session(tmp_path, FIRST)
        before = reader.read(path, "claude").messages
        append(path, lines([claude("three"), claude("four", "assistant")]))
        assert reader.read(path, "claude").messages[:2] == before
        assert [each.text for each in reader.read(path, "claude", start=2).messages] == [
            "three",
            "four",
        ]


class TestReplaced:
    def test_a_file_that_shrank(self, tmp_path: Path, reader: TranscriptReader) -> None:
        path = session(tmp_path, [*FIRST, claude("three")])
        assert len(texts(reader, path)) == 3
        path.write_bytes(lines([claude("new")]))
        assert texts(reader, path) == ["new"]

    def test_another_file_in_its_place(self, tmp_path: Path, reader: TranscriptReader) -> None:
        path = session(tmp_path, FIRST)
        assert len(texts(reader, path)) == 2
        other = session(tmp_path, [*FIRST, claude("three"), claude("four")], "s2")
        other.replace(path)
        assert texts(reader, path) == ["one", "two", "three", "four"]

    def test_a_file_written_over_and_longer(self, tmp_path: Path, reader: TranscriptReader) -> None:
        path = session(tmp_path, FIRST)
        assert len(texts(reader, path)) == 2
        path.write_bytes(lines([claude("new " * 400), claude("x")]))
        assert texts(reader, path) == ["new " * 400, "x"]

    def test_a_file_written_over_with_as_many_bytes(
        self, tmp_path: Path, reader: TranscriptReader
    ) -> None:
        path = session(tmp_path, FIRST)
        assert reader.summary(path, "claude").first_words == "one"
        path.write_bytes(path.read_bytes().replace(b"one", b"new"))
        os.utime(path, ns=(1, 1))
        assert reader.summary(path, "claude").first_words == "new"
        assert texts(reader, path) == ["new", "two"]


class TestLongFiles:
    @pytest.fixture(autouse=True)
    def _small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(session_file, "CHUNK_BYTES", 7)
        monkeypatch.setattr(session_file, "MAX_LINE_BYTES", 400)

    def test_lines_lie_across_chunks(self, tmp_path: Path, reader: TranscriptReader) -> None:
        path = tmp_path / "s.jsonl"
        spoken = ["a\u2028b\u2029c\x85d\x0b\x0c\x1ce", "値" * 20, "三 🎉"]
        raw = "".join(json.dumps(claude(text), ensure_ascii=False) + "\r\n" for text in spoken)
        path.write_bytes(b"\xef\xbb\xbf" + raw.encode())
        assert texts(reader, path) == spoken
        assert reader.summary(path, "claude").broken_lines == 0

    @pytest.mark.parametrize("end", [b"", b"\n"])
    def test_a_line_that_is_too_long_is_a_broken_one(
        self, tmp_path: Path, reader: TranscriptReader, end: bytes
    ) -> None:
        path = session(tmp_path, [*FIRST, claude("x" * 5_000)])
        path.write_bytes(path.read_bytes()[:-1] + end)
        found = reader.read(path, "claude")
        assert (found.length, found.broken_lines, found.has_half_line) == (2, 1, False)
        append(path, (b"" if end else b"xx\n") + lines([claude("three")]))
        found = reader.read(path, "claude")
        assert [message.text for message in found.messages] == ["one", "two", "three"]
        assert found.broken_lines == 1

    def test_progress_and_a_stop(self, tmp_path: Path, reader: TranscriptReader) -> None:
        path = session(tmp_path, [*FIRST, claude("three")])
        size = path.stat().st_size
        seen: list[tuple[int, int]] = []
        with pytest.raises(StoppedError, match="stopped") as stopped:
            reader.read(
                path,
                "claude",
                progress=lambda done, total: seen.append((done, total)),
                is_cancelled=lambda: len(seen) == 20,
            )
        assert stopped.value.exit_code == 3
        assert isinstance(stopped.value, RefusedError)
        assert seen == [(7 * number, size) for number in range(1, 21)]
        seen.clear()
        found = reader.read(path, "claude", progress=lambda *each: seen.append(each))
        assert [message.text for message in found.messages] == ["one", "two", "three"]
        assert 7 < seen[0][0] <= 147
        assert seen[-1] == (size, size)

    def test_a_stop_while_texts_are_read(self, tmp_path: Path, reader: TranscriptReader) -> None:
        path = session(tmp_path, FIRST)
        reader.summary(path, "claude")
        asked: list[int] = []

        def stop() -> bool:
            asked.append(1)
            return True

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(transcripts, "CHUNK_BYTES", 7)
            with pytest.raises(StoppedError):
                reader.read(path, "claude", is_cancelled=stop)
        assert asked == [1]
        assert texts(reader, path) == ["one", "two"]

    def test_a_stop_by_the_bar_itself(self, tmp_path: Path, reader: TranscriptReader) -> None:
        def stop(done: int, total: int) -> None:
            if done > total // 2:
                raise KeyboardInterrupt

        path = session(tmp_path, [*FIRST, claude("three")])
        with pytest.raises(KeyboardInterrupt):
            reader.read(path, "claude", progress=stop)
        assert texts(reader, path) == ["one", "two", "three"]


class TestUnreadable:
    @pytest.mark.parametrize("agent", ["qwen", "claude", "none"])
    def test_no_file(self, tmp_path: Path, reader: TranscriptReader, agent: Agent) -> None:
        path = tmp_path / "s.jsonl"
        with pytest.raises(StoreError, match=r"s\.jsonl cannot be read: No such file"):
            reader.read(path, agent)
        with pytest.raises(StoreError):
            reader.turn(path, agent)
        found = reader.summary(path, agent)
        assert (found.session_id, found.messages) == ("s", 0)
        assert found.problem == f"{path} cannot be read: No such file or directory."
        assert not found.is_readable

    def test_no_regular_file(self, tmp_path: Path, reader: TranscriptReader) -> None:
        pipe = tmp_path / "pipe.jsonl"
        os.mkfifo(pipe)
        for path in (pipe, tmp_path):
            with pytest.raises(StoreError, match="is no file, so no session is read"):
                reader.read(path, "claude")

    def test_a_file_without_permission(self, tmp_path: Path) -> None:
        path = session(tmp_path, FIRST)
        path.chmod(0)
        out = run_without_privileges(
            "import sys, pathlib\n"
            "from memtui.engine.disk.transcripts import TranscriptReader\n"
            "print(TranscriptReader().summary(pathlib.Path(sys.argv[1]), 'claude').problem)",
            str(path),
        )
        assert out == f"{path} cannot be read: Permission denied.\n"

    def test_a_file_that_is_emptied_while_it_is_read(
        self, tmp_path: Path, reader: TranscriptReader
    ) -> None:
        path = session(tmp_path, FIRST)
        reader.summary(path, "claude")

        def empty() -> bool:
            path.write_bytes(b"")
            return False

        append(path, lines([claude("three")]))
        found = reader.read(path, "claude", is_cancelled=empty)
        assert [message.text for message in found.messages] == ["", ""]
        assert texts(reader, path) == []


def test_threads_share_a_reader(tmp_path: Path, reader: TranscriptReader) -> None:
    paths = [session(tmp_path, FIRST * (number + 1), f"s{number}") for number in range(4)]
    wrong: list[object] = []

    def work() -> None:
        for number, path in enumerate(paths * 5):
            length = 2 * (number % 4 + 1)
            found = reader.read(path, "claude")
            counts = (found.length, len(found.messages), reader.turn(path, "claude").message_count)
            if counts != (length,) * 3:
                wrong.append((path, counts))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_few_indexes_are_kept(
    tmp_path: Path, reader: TranscriptReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "KEPT_RECORDS", 5)
    paths = [session(tmp_path, FIRST, f"s{number}") for number in range(3)]
    for path in paths:
        assert reader.summary(path, "claude").messages == 2
    read = lines_taken(monkeypatch)
    assert reader.turn(paths[2], "claude").message_count == 2
    assert len(read) == 1
    assert reader.turn(paths[0], "claude").message_count == 2
    assert len(read) == 1 + 3 + 1
    assert reader.summary(paths[1], "claude").messages == 2
    assert len(read) == 5
