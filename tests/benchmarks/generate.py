"""Stores of made-up topic files for benchmarks and for tests that need many documents.

Invariant: the same arguments give the same bytes, paths and mtimes on every machine. A file is
`FILE_BYTES` long: frontmatter, paragraphs and lists in English, Chinese, Japanese and Russian.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import NamedTuple

FILE_BYTES = 2_048
NEWEST_MTIME_NS = 1_767_225_600_000_000_000
"""2026-01-01T00:00:00Z, the mtime of document 0; each further one is 97 minutes older."""

_STEP_NS = 97 * 60 * 1_000_000_000
_TYPES = ("feedback", "project", "reference", "user")
_VOCABULARY = {
    "en": (
        "deploy release staging database migration review branch summary terse tests coverage "
        "incident dashboard ticket freeze deadline owner python linter format cache index queue "
        "worker retry timeout token session policy budget preference background role goal docs"
    ),
    "ru": (
        "релиз сборка проверка ветка отчёт ошибка очередь память правило краткий подробный "
        "миграция доступ сервер журнал срок команда ёлка решение договор пример документ"
    ),
    "zh": "数据库迁移 预发环境 上线前 执行 记录耗时 代码评审 分支 规范 缓存 队列 超时 会话 预算",
    "ja": "デプロイ 手順 本番環境 金曜日 午後 レビュー 要約 短く 書く 会議 議事録 キャッシュ",
}
_WORDS = {language: words.split() for language, words in _VOCABULARY.items()}
_JOINTS = {"en": " ", "ru": " ", "zh": "，", "ja": "、"}
_ENDS = {"en": ".", "ru": ".", "zh": "。", "ja": "。"}
_LANGUAGES = ("en", "en", "zh", "ja", "ru")


class Made(NamedTuple):
    """One made-up topic file: its path below the memory directory, its bytes and its mtime."""

    path: str
    raw: bytes
    mtime_ns: int


def make_document(number: int, *, size_bytes: int = FILE_BYTES) -> Made:
    """The document of that number, exactly `size_bytes` long (at least 512)."""
    chance = random.Random(f"memtui {number}")
    kind = _TYPES[number % len(_TYPES)]
    language = _LANGUAGES[number % len(_LANGUAGES)]
    head = (
        f"---\nname: {_sentence(chance, language, 3)} {number}\n"
        f"description: {_sentence(chance, language, 6)}\ntype: {kind}\n---\n\n"
        f"{_sentence(chance, language, 9)}{_ENDS[language]}\n\n"
        f"**Why:** {_sentence(chance, language, 8)}{_ENDS[language]}\n\n"
        f"**How to apply:** {_sentence(chance, language, 8)}{_ENDS[language]}\n"
    ).encode()
    blocks = [head]
    length = len(head)
    while length < size_bytes:
        block = _block(chance, _LANGUAGES[chance.randrange(len(_LANGUAGES))]).encode()
        blocks.append(block)
        length += len(block)
    text = b"".join(blocks)[: size_bytes - 1].decode("utf-8", "ignore").rstrip("\n")
    raw = text.encode()
    raw += b"." * (size_bytes - 1 - len(raw)) + b"\n"
    return Made(f"{kind}/note-{number:05d}.md", raw, NEWEST_MTIME_NS - number * _STEP_NS)


def make_index(documents: int) -> bytes:
    """An index with one line for each of the first `documents` documents."""
    lines = (f"- [Note {n}]({make_document(n).path}) — note {n}" for n in range(documents))
    return "\n".join(lines).encode()


def write_store(
    memory_dir: Path, documents: int, *, size_bytes: int = FILE_BYTES, index: bool = True
) -> tuple[Made, ...]:
    """Writes that many documents (and the index of the first 200) below `memory_dir`.

    Returns them in scan order: newest first.
    """
    made = tuple(make_document(number, size_bytes=size_bytes) for number in range(documents))
    for kind in _TYPES:
        (memory_dir / kind).mkdir(parents=True, exist_ok=True)
    for document in made:
        file = memory_dir / document.path
        file.write_bytes(document.raw)
        os.utime(file, ns=(document.mtime_ns, document.mtime_ns))
    if index:
        (memory_dir / "MEMORY.md").write_bytes(make_index(min(documents, 200)))
    return made


def _sentence(chance: random.Random, language: str, words: int) -> str:
    return _JOINTS[language].join(chance.choices(_WORDS[language], k=words))


def _block(chance: random.Random, language: str) -> str:
    if chance.random() < 0.5:
        bullets = (f"- {_sentence(chance, language, 6)}\n" for _ in range(chance.randint(2, 5)))
        return "\n" + "".join(bullets)
    return f"\n{_sentence(chance, language, chance.randint(12, 30))}{_ENDS[language]}\n"
