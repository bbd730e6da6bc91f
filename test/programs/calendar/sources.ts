export const INTERVAL = `from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """Minutes from start up to end, without end."""

    start: int
    end: int


def duration(interval: Interval) -> int:
    """
    REQUIRES: interval.start <= interval.end
    ENSURES: result == interval.end - interval.start
    PURITY: pure
    """
    raise NotImplementedError


def overlaps(left: Interval, right: Interval) -> bool:
    """
    ENSURES: result == (left.start < right.end and right.start < left.end)
    PURITY: pure
    """
    raise NotImplementedError


def covers(intervals: list[Interval], minute: int) -> bool:
    """
    ENSURES: result == any(one.start <= minute < one.end for one in intervals)
    PURITY: pure
    """
    raise NotImplementedError


def merge(intervals: list[Interval]) -> list[Interval]:
    """Joins intervals that overlap or touch.

    REQUIRES: all(one.start < one.end for one in intervals)
    ENSURES: len(result) <= len(intervals)
    ENSURES: all(before.end < after.start for before, after in zip(result, result[1:]))
    ENSURES: all(covers(result, one.start) for one in intervals)
    PURITY: pure
    CLAIM_REF: interval_001
    """
    raise NotImplementedError


def gaps(busy: list[Interval], within: Interval) -> list[Interval]:
    """Free intervals between the busy ones.

    REQUIRES: all(one.start < one.end for one in busy)
    REQUIRES: within.start <= within.end
    ENSURES: not any(overlaps(gap, one) for gap in result for one in busy)
    ENSURES: all(within.start <= gap.start < gap.end <= within.end for gap in result)
    ENSURES: len(busy) == 0 and within.start < within.end implies result == [within]
    PURITY: pure
    """
    raise NotImplementedError
`;

export const CLOCK_TEXT = `from __future__ import annotations

from witnesses.minute_of_day import MinuteOfDay


def parse_minute(text: str) -> MinuteOfDay | None:
    """Reads a time such as 9:05 or 17:30.

    ENSURES: ":" not in text implies result is None
    ENSURES: result is None or text.strip().endswith(f"{result.value % 60:02d}")
    PURITY: pure
    CLAIM_REF: text_001
    """
    raise NotImplementedError


def format_minute(minute: MinuteOfDay) -> str:
    """
    ENSURES: len(result) == 5 and result[2] == ":"
    ENSURES: result == f"{minute.value // 60:02d}:{minute.value % 60:02d}"
    PURITY: pure
    CLAIM_REF: text_001
    """
    raise NotImplementedError
`;

export const CALENDAR = `from __future__ import annotations

from domain.interval import Interval, gaps, overlaps


class Calendar:
    """Bookings by room."""

    _bookings: dict[str, list[Interval]]

    def __init__(self) -> None:
        """
        ENSURES: self.rooms() == []
        PURITY: writes
        """
        raise NotImplementedError

    def rooms(self) -> list[str]:
        """
        ENSURES: result == sorted(set(result))
        PURITY: reads
        """
        raise NotImplementedError

    def bookings(self, room: str) -> list[Interval]:
        """
        ENSURES: all(before.end <= after.start for before, after in zip(result, result[1:]))
        PURITY: reads
        CLAIM_REF: calendar_001
        """
        raise NotImplementedError

    def book(self, room: str, slot: Interval) -> bool:
        """False if the room is taken.

        REQUIRES: slot.start < slot.end
        ENSURES: result == (not any(overlaps(slot, one) for one in old(self.bookings(room))))
        ENSURES: result implies slot in self.bookings(room)
        PURITY: writes
        CLAIM_REF: calendar_001
        CLAIM_REF: calendar_002
        CLAIM_REF: calendar_003
        """
        raise NotImplementedError


async def free_slots(calendar: Calendar, room: str, day: Interval) -> list[Interval]:
    """
    REQUIRES: day.start <= day.end
    ENSURES: not any(overlaps(slot, one) for slot in result for one in calendar.bookings(room))
    PURITY: reads
    """
    raise NotImplementedError
`;
