"""Numbers as users write and read them."""

import re

from toccata.errors import InputError

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
MOST_BYTES = 1 << 40
MOST_RANKS = 1 << 20
MOST_COUNT = 1_000_000  # of calls, messages or seconds; the benchmark programs have these limits
LEAST_SECONDS = 0.001


def parse_bytes(text: str) -> int:
    """Bytes from "4", "16K", "1M" or "1MiB".

    Raises InputError on anything else, and on more than MOST_BYTES.
    """
    match = re.fullmatch(r"(\d+)([KMG]?)(i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise InputError(f"invalid size '{text}': expected bytes, such as 4, 16K or 1M")
    size = _number(match[1]) * UNITS[match[2].upper()]
    if size > MOST_BYTES:
        raise InputError(f"size '{text}' is too large; the maximum is {show_bytes(MOST_BYTES)}")
    return size


def parse_sizes(text: str) -> list[int]:
    """Bytes from "1,4,16K", or from a range that doubles, "1:1M", or grows by a factor, "1:1M:4".

    Raises InputError on anything else.
    """
    sizes: list[int] = []
    for piece in text.split(","):
        first, *rest = piece.split(":")
        size = parse_bytes(first)
        if not rest:
            sizes.append(size)
            continue
        last = parse_bytes(rest[0])
        factor = parse_count(rest[1], "factor of sizes", 2, MOST_BYTES) if len(rest) > 1 else 2
        if len(rest) > 2 or size < 1 or last < size:
            raise InputError(
                f"invalid range of sizes '{piece}': expected 1:1M (doubling) or 1:1M:4"
            )
        while size <= last:
            sizes.append(size)
            size *= factor
    return sorted(set(sizes))


def parse_ranks(text: str, what: str = "ranks") -> list[int]:
    """Numbers of ranks, or of nodes, from "2,4,8", or from a range with a step, "8:256:8".

    Raises InputError on anything else.
    """
    ranks: list[int] = []
    for piece in text.split(","):
        bounds = [
            parse_count(each, f"number of {what}", most=MOST_RANKS) for each in piece.split(":")
        ]
        if len(bounds) > 3 or len(bounds) == 2 or (len(bounds) == 3 and bounds[1] < bounds[0]):
            raise InputError(
                f"invalid range of {what} '{piece}': expected FIRST:LAST:STEP, such as 8:256:8"
            )
        first, last, step = bounds if len(bounds) == 3 else (bounds[0], bounds[0], 1)
        ranks.extend(range(first, last + 1, step))
    return sorted(set(ranks))


def parse_count(text: str, what: str, least: int = 1, most: int = MOST_COUNT) -> int:
    """A whole number from `least` to `most`; InputError, naming `what`, on anything else."""
    if text.strip().isdecimal() and least <= (number := _number(text.strip())) <= most:
        return number
    raise InputError(f"invalid {what} '{text}': expected an integer from {least} to {most}")


def parse_seconds(text: str) -> float:
    """Seconds from "3" or "0.3"; InputError on anything else, and beyond the limits."""
    try:
        found = float(text) if re.fullmatch(r"[\d.]+(e[+-]?\d+)?", text.strip()) else 0.0
    except ValueError:
        found = 0.0
    if not LEAST_SECONDS <= found <= MOST_COUNT:
        raise InputError(
            f"invalid number of seconds '{text}': expected a number from {LEAST_SECONDS} to "
            f"{MOST_COUNT}, such as 0.3"
        )
    return found


MOST_DELAY = 3600  # seconds; the limit of the benchmark program
PLURALS = {"leaf": "leaves"}


def parse_late(text: str) -> dict[int, float]:
    """Seconds by rank, from "3:1ms,0:50us"; InputError on anything else."""
    late = {}
    for piece in text.split(","):
        found = re.fullmatch(r"\s*(\d+):(\d+(?:\.\d+)?)(s|ms|us|µs)\s*", piece)
        if found is None:
            raise InputError(
                f"invalid late rank '{piece}': expected RANK:TIME with s, ms or us, such as 3:1ms"
            )
        rank, number, unit = found.groups()
        seconds = float(number) * {"s": 1.0, "ms": 1e-3}.get(unit, 1e-6)
        if seconds > MOST_DELAY:
            raise InputError(f"invalid late rank '{piece}': expected at most {MOST_DELAY} s")
        if _number(rank) in late:
            raise InputError(f"rank {rank} is late twice in '{text}'; name each rank once")
        late[_number(rank)] = seconds
    return late


def _number(digits: str) -> int:
    """Reads at most 19 digits, enough for all our limits: Python fails for thousands of digits."""
    return int(digits if len(digits) < 20 else "9" * 19)


def plural(name: str, count: int) -> str:
    """Such as "2 cores"."""
    return f"{count} {name if count == 1 else several(name)}"


def several(name: str) -> str:
    """Such as "cores" or "leaves"."""
    return PLURALS.get(name, f"{name}s")


def show_bytes(size: int) -> str:
    """ "4", "16K", "1M": exact and short."""
    for unit, factor in reversed(UNITS.items()):
        if unit and size >= factor and size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)


def show_amount(size: int) -> str:
    """Such as "812 B", "1.53 MiB": rounded, for measured amounts."""
    value, units = float(size), ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1024
        units.pop(0)
    return f"{value:.3g} {units[0]}"


def show_microseconds(seconds: float) -> str:
    """Microseconds with a useful number of digits."""
    microseconds = seconds * 1e6
    return f"{microseconds:.2f}" if microseconds < 1000 else f"{microseconds:.0f}"


def show_duration(seconds: float) -> str:
    """Such as "40 s", "3 min" or "2.5 h"."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
