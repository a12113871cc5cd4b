"""When a limit ends, from the words that agent programs write: ``resets 3pm (Europe/Berlin)``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

from hive_backends.zones import zone_of


def _unnamed(pattern: str) -> str:
    """`pattern` without the names of its groups, to stand in another one beside them."""
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# Digits are ASCII's alone: no program prints others, and a model may.
_SAID = (
    r"(?:\b|(?<=quota))(?:resets?(?:[ _-]?(?:time(?:[ _-]?stamp)?|date)\b)?|resetting|renews?|refresh(?:es)?"
    r"|restored|resumes?|unlocks?|lift(?:s|ed)|retry(?:[-_ ]after)?|try again|come back"
    r"|available(?:\s+again)?|again(?=\s+(?:at|on|after)\b)|until|continue|automatically)"
)
_SEPARATED = (
    r"(?:\"?\s*[:=@~·∙→|–—]\s*\"?|\s+-\s+|\s+)"
    r"(?:(?:at|on|by|after|next|this|the|around|about|approximately)\s+){0,2}"
)
_MONTH = r"(?:" + "|".join(_MONTHS) + r")[a-z]*\.?"
_WEEKDAY = r"(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:r|rs)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?"
_DATE = (
    rf"(?:{_WEEKDAY},?\s+)?(?:"
    rf"(?P<month>{_MONTH})\s+(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year>[0-9]{{4}})\b)?"
    rf"|(?P<day2>[0-9]{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month2>{_MONTH})"
    r"(?:,?\s+(?P<year2>[0-9]{4})\b)?"
    r"|(?P<year3>[0-9]{4})[-/](?P<month3>[0-9]{2})[-/](?P<day3>[0-9]{2})\b)"
)
_NEAR = rf"(?P<near>today|tonight|tomorrow)|(?P<weekday>{_WEEKDAY})"
_AREAS = "Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc|US|Canada"
_ZONE = (
    r"(?:,?\s*[(\[](?P<paren>[^)\]]{1,40})[)\]]"
    rf"|,?\s+(?P<bare>(?:{_AREAS})/[A-Za-z0-9_+/-]{{2,30}}|(?:pacific|mountain|central|eastern)\b"
    r"|(?:GMT|UTC)(?:[+-][0-9]{1,2}(?::?[0-9]{2})?)?|[+-][0-9]{2}:?[0-9]{2}"
    r"|(?-i:(?:[A-Z][a-z]+ ){1,3}[Tt]ime\b)|(?-i:(?!(?:OR|AND|TO|IN|IF|FOR|ON)\b)[A-Z]{2,5}))(?![+\w-]))?"
)
_CLOCK = (
    r"(?:(?P<word>noon|midnight)\b|(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2})(?::[0-9]{2})?)?"
    rf"(?:\s*(?P<half>[ap]\.?m\b\.?))?){_ZONE}"
)
_RESET = re.compile(
    rf"{_SAID}{_SEPARATED}(?:(?:{_DATE}|{_NEAR})(?:,|\b|\s)(?:\s*at\b)?\s*)?(?:{_CLOCK})?", re.IGNORECASE
)
_DAY_BEHIND = re.compile(
    r"\b(?P<clock>[0-9]{1,2}(?::[0-9]{2}(?::[0-9]{2})?)?\s*[ap]\.?m\b\.?|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)"
    rf"(?P<where>\s*[(\[][^)\]]{{1,40}}[)\]]|\s+(?:GMT|UTC)(?:[+-][0-9:]{{1,5}})?|\s+(?-i:[A-Z]{{3,5}})\b)?"
    rf",?\s+(?:on\s+)?(?:the\s+)?(?P<date>{_unnamed(_DATE)}|{_unnamed(_NEAR)}(?!\w))",
    re.IGNORECASE,
)
"""A day that is said behind the clock time: ``9am on Dec 3``, ``3:00 PM UTC tomorrow``."""
_ISO = re.compile(
    rf"{_SAID}[^0-9]{{0,12}}"
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})[T ](?P<clock>[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?!\s*[ap]\.?m\b)"
    rf"(?:\.[0-9]+)?(?:\s*(?P<shift>Z|[+-][0-9]{{2}}:?[0-9]{{2}})(?![0-9])|{_ZONE})",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?:(?:resets?|renews?|refresh(?:es)?|try again|retry(?:ing)?|available|again|restored|resumes?"
    r"|unlocks?|lift(?:s|ed)|continu\w+|come back)\s+(?:in|after):?"
    r"|wait(?:\s+for)?|ratelimit-reset-\w+:|(?:retry|quotareset)_?delay\"?\s*[:=]?)"
    r"\s*(?:(?:about|around|approximately|approx\.)\s+|~\s*)?\"?"
    r"(?=[0-9])(?:(?P<weeks>[0-9]+)\s*w(?:eeks?)?(?=[\W0-9]|$),?\s*)?(?:(?:and\s+)?(?P<days>[0-9]+)\s*d(?:ays?)?(?=[\W0-9]|$),?\s*)?"
    r"(?:(?:and\s+)?(?P<hours>[0-9]+(?:\.[0-9]+)?)\s*h(?:(?:ou)?rs?)?(?=[\W0-9]|$),?\s*)?"
    r"(?:(?:and\s+)?(?P<minutes>[0-9]+(?:\.[0-9]+)?)\s*m(?:in(?:ute)?s?)?(?=[\W0-9]|$),?\s*)?"
    r"(?:(?:and\s+)?(?P<seconds>[0-9]+(?:\.[0-9]+)?)\s*s(?:ec(?:ond)?s?)?\b"
    r"|(?P<milliseconds>[0-9]+(?:\.[0-9]+)?)\s*ms\b)?",
    re.IGNORECASE,
)
_CLOCKED_SPAN = re.compile(
    r"\b(?:resets?|try again|retry|available(?:\s+again)?)\s+in\s+"
    r"(?P<hours>[0-9]{1,3}):(?P<minutes>[0-9]{2})(?::(?P<seconds>[0-9]{2}))?(?![0-9:])",
    re.IGNORECASE,
)
_SECONDS = re.compile(
    r"\b(?:retry[-_ ]after(?:[-_]seconds)?|resets?_in_seconds|resetsInSeconds)\"?(?:\s*[:=]\s*|\s+)\"?"
    r"(?P<seconds>[0-9]{1,8}(?:\.[0-9]+)?)(?![0-9:./-]|\s*[a-z])"
    r"|\bretry[-_ ]after[-_]ms\"?\s*[:=]\s*\"?(?P<milliseconds>[0-9]{1,11})(?![0-9])",
    re.IGNORECASE,
)
_ONE = re.compile(r"\b(?P<in>in|after|wait)(?: less than)? an? (?P<unit>minute|hour|day|week)\b", re.I)
_EPOCH = re.compile(
    r"(?:\|\s*|\bresets?(?:[_ -]?at)?\"?\s*[:= ]\s*)(?P<seconds>[0-9]{10})(?P<thousandths>[0-9]{3})?\b",
    re.IGNORECASE,
)
_JUST_OVER = timedelta(days=1)
"""A date without a year that is no longer ago than this is over, and not next year's."""
_FURTHEST = timedelta(days=400)
"""No limit lasts longer: what is read as later was no such time."""


def reset_time(text: str, *, now: datetime, zone: str) -> datetime | None:
    """The moment (UTC) that `text` names, or None when it names none that can be understood.

    A clock time follows "resets", "try again", "until" and their like. One alone is its next occurrence after
    `now`; a date without a year is the next one of its name, or yesterday's. A zone in the text wins over
    `zone`; an unknown one in the text gives None. A clock time that a day has twice is the first of both that
    is yet to come; one that it has not is as long after midnight as it says.
    """
    try:
        moment = _moment(" ".join(text.replace("\u2212", "-").split()), now, zone)
    except (OverflowError, ValueError):
        return None  # no such day, or no such year
    return moment if moment is not None and moment - now < _FURTHEST else None


def _moment(text: str, now: datetime, zone: str) -> datetime | None:
    epoch = _EPOCH.search(text)
    if epoch:
        return datetime.fromtimestamp(int(epoch["seconds"]), UTC)
    iso = _ISO.search(text)
    if iso:
        where = zone_of(iso["shift"]) if iso["shift"] else _zone(iso, zone)
        return _utc(datetime.fromisoformat(f"{iso['date']} {iso['clock']}"), where) if where else None
    text = _ONE.sub(r"\g<in> 1 \g<unit>", text)
    for pattern in (_SPAN, _CLOCKED_SPAN, _SECONDS):
        span = pattern.search(text)
        if span and any(span.groups()):
            counts = span.groupdict(default="0")
            return now + timedelta(**{unit: float(count) for unit, count in counts.items()})
    text = _DAY_BEHIND.sub(r"\g<date> \g<clock>\g<where>", text)
    return next((one for one in (_named(found, now, zone) for found in _RESET.finditer(text)) if one), None)


def _zone(found: re.Match[str], zone: str) -> tzinfo | None:
    """That in the text; `zone` where it names none, or says that it is the reader's clock."""
    said = re.split(r"[,;·]", found["paren"] or found["bare"] or "")[0].strip()
    named = re.sub(r"(?i)(?: standard| daylight)? time$", "", said)
    remark = " " in named and named == said
    own = not named or remark or re.search(r"(?i)\b(?:local|your|server)\b", named)
    return zone_of(zone if own else named)


def _named(found: re.Match[str], now: datetime, zone: str) -> datetime | None:
    """What a date, a clock time, or both name; None where that is neither."""
    where = _zone(found, zone)
    near = (found["near"] or "").lower()
    has_date = found["month"] or found["month2"] or found["month3"]
    has_day = has_date or found["weekday"] or near == "tomorrow"
    if where is None or not (found["hour"] or found["word"] or has_day):
        return None
    noon = (found["word"] or "").lower() == "noon"
    hour, minute = _hour(int(found["hour"] or 12 * noon), found["half"]), int(found["minute"] or 0)
    has_clock = found["half"] or found["minute"]
    if hour is None or minute > 59 or (found["hour"] and not has_clock):
        return None
    local = now.astimezone(where).replace(tzinfo=None)
    then = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return next(_future(_days(then, local, found), where, now, bool(has_date) or near == "today"), None)


def _days(then: datetime, local: datetime, found: re.Match[str]) -> Iterator[datetime]:
    """`then` on each day that may be meant, the first one first."""
    month = found["month"] or found["month2"]
    if found["year3"]:
        yield then.replace(int(found["year3"]), int(found["month3"]), int(found["day3"]))
    elif month:
        number, day = _MONTHS.index(month[:3].lower()) + 1, int(found["day"] or found["day2"])
        year = found["year"] or found["year2"]
        years = [int(year)] if year else range(local.year - 1, local.year + 2)
        yield from (one for one in (_dated(then, each, number, day) for each in years) if one is not None)
    elif found["weekday"]:
        wait = (_DAYS.index(found["weekday"][:3].lower()) - then.weekday()) % 7
        yield from (then + timedelta(days=wait + more) for more in (0, 7))
    elif (found["near"] or "").lower() in ("today", "tomorrow"):
        yield then + timedelta(days=(found["near"] or "").lower() == "tomorrow")
    else:
        yield from (then, then + timedelta(days=1))


def _dated(then: datetime, year: int, month: int, day: int) -> datetime | None:
    try:
        return then.replace(year=year, month=month, day=day)
    except ValueError:
        return None  # no such day in that year


def _future(days: Iterator[datetime], where: tzinfo, now: datetime, has_date: bool) -> Iterator[datetime]:
    """Those moments that are to come; of a date also one that is just over."""
    since = now - _JUST_OVER if has_date else now
    for day in days:
        for fold in (0, 1):
            moment = _utc(day.replace(fold=fold), where)
            if moment > since:
                yield moment


def _utc(local: datetime, where: tzinfo) -> datetime:
    return local.replace(tzinfo=where).astimezone(UTC)


def _hour(hour: int, half: str | None) -> int | None:
    if half is None:
        return hour if hour <= 23 else None
    if hour > 12:
        return None
    return hour % 12 + (12 if half.lower().startswith("p") else 0)
