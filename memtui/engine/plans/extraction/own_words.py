"""Which lines of a typed message are pasted: code, logs, tool output, tables, other people's words.

Invariant: line by line and linear in the length of the message; in doubt a line is pasted, since
precision beats recall (spec section 8).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_FENCE = re.compile(r"[ \t]*(?:[-*] )?(`{3,}|~{3,})")
_BULLET = re.compile(r"[ \t]*(?:[-*+•‣·] |\d{1,3}[.)] |[-*•・●○]\s?(?=\S))")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")

_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|FATAL|CRITICAL|PANIC)"
_LOG = re.compile(
    r"\s*(?:"
    r"[\[(]?\d{4}[-/.]\d\d[-/.]\d\d[T ,]+\d\d:\d\d"
    r"|[\[(]?\d\d:\d\d:\d\d\b"
    r"|(?:[A-Z][a-z]{2}|[А-Яа-я]{3,4}\.?) {1,2}\d{1,2} \d\d:\d\d:\d\d"
    r"|\[\s{0,8}\d+\.\d{3,}\]"
    rf"|\[?{_LEVEL}\]?(?:[:\s|]|$)"
    r"|\[[\w.:/ -]{1,40}\] ?(?:\d\d:\d\d|\w+ ?:)"
    r"|\[?(?:ОШИБКА|ПРЕДУПРЕЖДЕНИЕ|ПОДСКАЗКА|ВНИМАНИЕ|Ошибка|Предупреждение|ошибка|предупреждение"
    r"|警告|错误|错误信息|報錯|報錯訊息|エラー|致命的エラー|例外)\]?[:：] ?\S"
    r"|npm (?:WARN|ERR|error|warn)\b|yarn (?:error|warn)\b"
    r"|make(?:\[\d+\])?: \*\*\*"
    r"|Error: \S|(?:error|warning)(?:\[\w+\])?: |fatal: |panic: |remote: |PLAY RECAP|FAILED\b"
    r"|(?:DETAIL|HINT|CONTEXT|STATEMENT): |E {3,}"
    r"|[\w.@/-]+:\d+(?::\d+)?[:)]? ?\S"
    r"|thread '[^']{0,80}' panicked|Exception in thread|Caused by: |Traceback \(most recent"
    r"|at [\w.$<>]+\([^)]{0,200}\)\s*$|File \"[^\"]{1,300}\", line \d|goroutine \d+ \["
    r"|[\w.]{1,80}(?:Error|Exception|Warning)\b: "
    r")"
)
_TAGGED = re.compile(r"\s*\[([\w.:/# -]{1,40})\] ?\S")
_TRACE = re.compile(
    r"\s*(?:thread '[^']{0,80}' panicked|Exception in thread|Traceback \(most recent|panic: "
    r"|goroutine \d+ \[)"
)
_PROMPT = re.compile(
    r"\s*(?:[$❯➜%] \S|>>> |PS [A-Z]:\\|\(\w{1,30}\) \$ "
    r"|[\w.-]{1,40}@[\w.-]{1,40}[: ][^\s]{0,80}[$#] )"
)
_OUTPUT = re.compile(
    r"\s*[\w./@ -]{1,40}(?:\[\d+\])?: \S|\s*(?:-->|\||=|\^|~{2,}|at )|\d+ \w+ in \d"
)

_CODE = re.compile(
    r"\s*(?:"
    r"//|/\*|\*/|\*\s.{0,300}\*/\s*$|<!--|#!|--\s\S|#include\b|@\w+\s*(?:\(|$)"
    r"|from [\w.]{1,120} import \S.{0,200}$|import (?:[\w.]{1,80}(?: as \w+)?|"
    r"[\w{}*, ]{1,120} from [\"'].{1,120}[\"']);?\s*$"
    r"|(?:async |export |public |private |static |pub )*"
    r"(?:def|func|fn|function|class|struct|enum|interface|impl) \w+.{0,200}[:{(]\s*$"
    r"|(?:export )?(?:const|let|var|val) [\w{\[].{0,200}="
    r"|(?:return|throw|raise|yield|await) [\w.\[{(\"']+.{0,200}[;)]\s*$"
    r"|(?:if|for|while|switch|else if) ?\(.{0,200}\) ?\{?\s*$"
    r"|[\w.\[\]]{1,80} ?(?::=|\+=|-=|=) ?\S"
    r"|[\w-]{1,60}: ?(?:[|>{\[]|[\w\"'./-]{1,60}\s*$)"
    r"|[\w.]{1,80}\([^)]{0,200}\);?\s*$"
    r"|</?\w+[^>]{0,200}>"
    r"|[})\];]+\s*$"
    r"|(?:SELECT|INSERT|UPDATE|DELETE|ALTER|CREATE|DROP) [\w*,. ]{1,120}"
    r"(?:FROM|INTO|SET|TABLE|INDEX|VIEW)?\b.{0,200};\s*$"
    r")"
)
_CODE_END = re.compile(r"[{;]\s*$")
_HASH = re.compile(r"\s*#{1,6}\s")
_DIFF_START = re.compile(r"(?:diff --git |index [0-9a-f]{6,}|@@ .{0,80} @@|--- \S|\+\+\+ \S)")
_DIFF_LINE = re.compile(r"[-+ @\\]|index |new file|deleted file|rename ")
_TABLE = re.compile(
    r"\s*\|.{0,2000}\||\s*[+|:-][-+|: ]{4,}$|[^|\n]{0,200}(?:\s\|\s[^|\n]{0,200}){2,20}$"
)
_RULE = re.compile(r"\s*([-=_*])\1{2,}\s*$")

_ATTRIBUTION = re.compile(
    r"\b(?:says?|said|wrote|writes|reads|replied|states|mail|e-mail|email|ticket|docs?|"
    r"documentation"
    r"|handbook|readme|contributing|article|blog|guide|guidance|comment|slack|stack ?overflow"
    r"|errors?|output|logs?|warning|trace|quot\w+|pasted|post|thread|message from|put it|the spec"
    r"|stylelint|linter)\b"
    r"|пишет|написал|говорит|сказал|говорится|письм|тикет|доке|доки|документац|стать[еи]"
    r"|коммент|цитат|ревью|ошибк|лог[аеи]?\b|вывод"
    r"|写道|说|邮件|工单|文档|报错|日志|输出|评论|同事|原文|回复"
    r"|メール|チケット|ドキュメント|エラー|ログ|出力|コメント|書いて|言って|引用|返信|記事",
    re.IGNORECASE,
)
_COLON = (":", "：")


def pasted_lines(lines: Sequence[str]) -> list[bool]:
    """For each line whether it is not the user's own words; blank lines are own words."""
    pasted = [False] * len(lines)
    _mark_fences(lines, pasted)
    for start, end in _paragraphs(lines, pasted):
        _mark_paragraph(lines, pasted, start, end)
    _mark_introduced(lines, pasted)
    return pasted


def is_bullet(line: str) -> int:
    """The length of the bullet with its blanks; 0 where the line has none."""
    found = _BULLET.match(line)
    return found.end() if found else 0


def _mark_fences(lines: Sequence[str], pasted: list[bool]) -> None:
    fence = ""
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if fence:
            pasted[number] = True
            if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif found and not ("`" in line[found.end() :] and found[1][0] == "`"):
            pasted[number] = True
            fence = found[1]


def _paragraphs(lines: Sequence[str], pasted: Sequence[bool]) -> list[tuple[int, int]]:
    """Runs of lines that are neither blank nor in a fence."""
    runs, start = [], -1
    for number in range(len(lines) + 1):
        inside = number < len(lines) and not pasted[number] and bool(lines[number].strip())
        if inside and start < 0:
            start = number
        elif not inside and start >= 0:
            runs.append((start, number))
            start = -1
    return runs


def _mark_paragraph(lines: Sequence[str], pasted: list[bool], start: int, end: int) -> None:
    log = code = soft = 0
    in_output = in_diff = in_list = False
    is_tagged = sum(_TAGGED.match(line) is not None for line in lines[start:end]) > 1
    for number in range(start, end):
        line = lines[number]
        bullet = is_bullet(line)
        in_list = in_list or bool(bullet)
        if _DIFF_START.match(line):
            in_diff = True
        if _PROMPT.match(line) or _TRACE.match(line):
            in_output = True
        is_log = _LOG.match(line) is not None or (is_tagged and _TAGGED.match(line) is not None)
        is_code = not bullet and (
            _CODE.match(line) is not None or _CODE_END.search(line[-20:]) is not None
        )
        log, code = log + is_log, code + is_code
        soft += _OUTPUT.match(line) is not None
        pasted[number] = (
            in_output
            or is_log
            or is_code
            or (in_diff and (_DIFF_LINE.match(line) or _DIFF_START.match(line)) is not None)
            or line.lstrip().startswith((">", "＞", "|"))
            or _HASH.match(line) is not None
            or _TABLE.match(line) is not None
            or _RULE.match(line) is not None
            or (_INDENTED.match(line) is not None and not in_list)
        )
    if (log or code or soft > 2) and end - start > 1:
        for number in range(start, end):
            line = lines[number]
            pasted[number] = (
                pasted[number]
                or (_OUTPUT.match(line) is not None)
                or (code > 0 and line[:1] in " \t")
            )
        marked = sum(pasted[start:end])
        if marked * 2 >= end - start and (log or soft > 2) and log >= code:
            # what stands between lines of a log belongs to it; a remark stands before or behind
            first = next(n for n in range(start, end) if pasted[n])
            last = next(n for n in range(end - 1, start - 1, -1) if pasted[n])
            pasted[first : last + 1] = [True] * (last + 1 - first)


def _mark_introduced(lines: Sequence[str], pasted: list[bool]) -> None:
    """Marks what "Anna wrote:" introduces, and the introduction itself.

    It reaches to the next blank line; blank lines right below the introduction don't count.
    """
    reach = False
    seen = False
    for number, line in enumerate(lines):
        blank = not line.strip()
        if reach:
            if blank and seen:
                reach = False
            elif not blank:
                if seen and not pasted[number] and pasted[number - 1]:
                    reach = False  # below a pasted block the user speaks again
                else:
                    seen = True
                    pasted[number] = True
        if not blank and not pasted[number] and line.rstrip().endswith(_COLON):
            tail = line.rstrip()[-200:]
            if _ATTRIBUTION.search(tail) is not None:
                pasted[number] = True
                reach, seen = True, False
