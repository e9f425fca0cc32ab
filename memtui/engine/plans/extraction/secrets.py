"""What no memory may hold by itself: passwords and keys (spec section 13, `secret`).

Invariant: pure; a sentence about secrets that holds none is none.
"""

from __future__ import annotations

import re

_WORDS = (
    r"(?:\b(?:password|passwd|passphrase|api[ _-]?key|secret|token)\b"
    r"|\bпарол(?:ь|я|ем)\b|密码|パスワード)"
)
_BETWEEN = r"(?:(?:\s+\w{1,20}){0,3}\s*[:：=]\s*|\s*(?:is set to|is|are|это|是|は)?\s*)"
_VALUE = r"[\"'`“«「]?(?=[^\s<$]*\d)(?![<$])[^\s\"'`”»」]{6,}"

_SECRET = re.compile(
    r"\b(?:AKIA[0-9A-Z]{16}|gh[opsu]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"
    r"|xox[abprs]-[\w-]{10,}|sk-[A-Za-z0-9_-]{20,}|AIza[\w-]{30,}|glpat-[\w-]{15,})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|://[^/\s:@<$]+:[^/\s@<$]{3,}@"
    rf"|{_WORDS}{_BETWEEN}{_VALUE}",
    re.IGNORECASE,
)


def looks_secret(text: str) -> bool:
    """Whether `text` holds what looks like a password, a key, or a URL with a password."""
    return _SECRET.search(text) is not None
