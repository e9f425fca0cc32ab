"""Times as the agents write them in their state files (spec section 11).

Invariant: a time is nanoseconds since the epoch everywhere else in the engine.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_FIRST_MS = (datetime(1, 1, 1, tzinfo=timezone.utc) - _EPOCH) // timedelta(milliseconds=1)
_LAST_MS = (datetime.max.replace(tzinfo=timezone.utc) - _EPOCH) // timedelta(milliseconds=1)
_NS_PER_MS = 1_000_000
_NS_PER_S = 1_000_000_000

_TIME = re.compile(
    r"\s*(\d{4})-(\d\d)-(\d\d)"
    r"(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(?:([Zz])|([+-])(\d\d):?(\d\d))?)?\s*",
    re.ASCII,
)


def iso_time(time_ns: int) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ` for nanoseconds since the epoch, rounded down to milliseconds.

    A time outside the years 1 to 9999 gives the nearest that has a name.
    """
    milliseconds = min(max(time_ns // _NS_PER_MS, _FIRST_MS), _LAST_MS)
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def parse_iso_time(text: object) -> int | None:
    """Nanoseconds since the epoch; None for what is no such time.

    Also without milliseconds, seconds, time or zone (then UTC), with an offset, or with a blank
    for the `T`: other tools write these.
    """
    found = _TIME.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, _zulu, sign, hours, minutes = found.groups()
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        moment = datetime(
            int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0)
        )
    except ValueError:
        return None
    since = moment.replace(tzinfo=timezone.utc) - _EPOCH - (-offset if sign == "-" else offset)
    nanoseconds = int((fraction or "")[:9].ljust(9, "0"))
    return (since // timedelta(seconds=1)) * _NS_PER_S + nanoseconds


def milliseconds(start_ns: int, end_ns: int) -> int:
    """Whole milliseconds between two moments; none where the clock went back."""
    return max(0, end_ns - start_ns) // _NS_PER_MS
