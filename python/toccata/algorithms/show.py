"""A schedule as text: which rank sends which blocks to which rank in each round."""

import io
from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from toccata import _core
from toccata.algorithms.catalogue import path_of

ALL_RANKS = 16  # up to this number, ranks are shown one by one
ALL_ROUNDS = 16
SELECTED_AT_START = 4  # of more ranks, this many of the first, and the last one
COMMON_PATTERN = 100_000  # maximum of ranks times rounds for the search of a common pattern
LISTED_BLOCKS = 6  # maximum of runs of blocks in a list

SENT = {
    "packed": "messages are packed",
    "datatype": "messages are derived datatypes",
    "per_block": "one message per block",
    "published": "through the shared memory of a node",
}


def selected(count: int, limit: int) -> list[int]:
    """All of 0..count-1, or the first few and the last one."""
    return list(range(count)) if count <= limit else [*range(SELECTED_AT_START), count - 1]


def runs(blocks: Iterable[int]) -> list[tuple[int, int]]:
    """Groups consecutive blocks: the first and the last of each run."""
    result: list[tuple[int, int]] = []
    for block in blocks:
        if result and block == result[-1][1] + 1:
            result[-1] = (result[-1][0], block)
        else:
            result.append((block, block))
    return result


def describe_blocks(ranges: Sequence[_core.BlockRange]) -> str:
    """Such as "0-3, 7" or "scratch 0-1". Omits the name of recv, the buffer of results."""
    parts: list[str] = []
    for buffer in dict.fromkeys(each.buffer for each in ranges):
        blocks = [block for each in ranges if each.buffer == buffer for block in each.blocks]
        pieces = [str(a) if a == b else f"{a}–{b}" for a, b in runs(blocks)]
        if len(pieces) > LISTED_BLOCKS:
            pieces = [*pieces[:3], "…", pieces[-1]]
            pieces[-1] += f" ({len(blocks)} blocks)"
        prefix = "" if buffer == "recv" else buffer + " "
        parts.append(prefix + ", ".join(pieces))
    return "; ".join(parts)


def common_pattern(rounds: Sequence[_core.Round]) -> str:
    """The actions of all ranks in a round, if their peers follow one rule: "r → r + 4" (mod p)."""
    p = len(rounds)
    peers = [[each.peer for each in round_.sends] for round_ in rounds]
    if any(len(each) != 1 for each in peers):
        return ""
    offsets = {(peer - rank) % p for rank, (peer,) in enumerate(peers)}
    if len(offsets) == 1:
        return f"r → r + {offsets.pop()}"
    masks = {peer ^ rank for rank, (peer,) in enumerate(peers)}
    if len(masks) == 1:
        return f"r ↔ r ⊕ {masks.pop()}"
    if all(peers[peer][0] == rank for rank, (peer,) in enumerate(peers)):
        return "pairs swap"
    return ""


def common_travel(rounds: Iterable[_core.Round | None]) -> str:
    """How all messages are sent, if the schedule prescribes the same for all; otherwise ""."""
    ways = {each.travel for round_ in rounds if round_ for each in round_.sends}
    return SENT.get(ways.pop(), "") if len(ways) == 1 else ""


class Narrator:
    """Describes one choice in one shape."""

    def __init__(self, choice: _core.Choice, shape: _core.Shape) -> None:
        self.choice = choice
        self.shape = shape
        self.p = shape.p
        self.schedules: dict[int, _core.Schedule] = {}
        self.rounds = len(self.schedule(0))

    def schedule(self, rank: int) -> _core.Schedule:
        if rank not in self.schedules:
            self.schedules[rank] = self.choice.schedule(self.shape, rank)
        return self.schedules[rank]

    def pattern(self, number: int) -> str:
        if self.p * self.rounds > COMMON_PATTERN:
            return ""
        schedules = [self.schedule(rank) for rank in range(self.p)]
        if any(len(each) <= number for each in schedules):
            return ""
        return common_pattern([each.round(number) for each in schedules])

    def heading(self) -> Text:
        algorithm = self.choice.algorithm
        assert algorithm is not None
        cost = self.choice.cost(self.shape)
        text = Text(path_of(self.choice), style="bold cyan")
        root = f", root {self.shape.root}" if self.choice.rooted else ""
        text.append(f"   {self.p} rank{'s' if self.p != 1 else ''}{root}\n", style="bold")
        text.append(f"{algorithm.summary}  [{algorithm.citation}]\n", style="default not bold")
        text.append(
            f"maximum per rank: {cost.rounds} rounds, {cost.messages} messages, "
            f"{cost.sent} blocks sent, {cost.copied} copied"
            f"{f', {cost.reduced} reduced' if cost.reduced else ''}\n",
            style="dim not bold",
        )
        text.append("→ peer: blocks sent   ← peer: blocks received   from ⇒ to: copied", "dim")
        if cost.reduced:
            text.append(
                "   from ∘ into: reduced, with the contributions of lower ranks on the left", "dim"
            )
        return text

    def all_ranks(self) -> RenderableType:
        """One table per round, a row per rank."""
        ranks = selected(self.p, ALL_RANKS)
        parts: list[RenderableType] = [self.heading()]
        last = -1
        for number in selected(self.rounds, ALL_ROUNDS):
            if number > last + 1:
                parts.append(Text(f"\n… rounds {last + 1} to {number - 1} …", style="dim"))
            last = number
            rows = [(f"rank {rank}", self.step(rank, number)) for rank in ranks]
            travel = common_travel(step for _, step in rows)
            notes = [note for note in (self.pattern(number), travel) if note]
            parts.append(Text("   ".join([f"\nround {number}", *notes]), "bold"))
            parts.append(self.table(rows, gap_before=ranks[-1] if len(ranks) < self.p else None))
        if len(ranks) < self.p:
            parts.append(Text("\n--rank R shows any other rank", style="dim"))
        return Group(*parts)

    def plain(self, width: int = 96) -> list[str]:
        """The rounds of all ranks as lines of text."""
        console = Console(width=width, color_system=None, record=True, file=io.StringIO())
        shown = self.all_ranks()
        assert isinstance(shown, Group)
        for part in shown.renderables[1:]:
            console.print(part)
        lines = [each.rstrip() for each in console.export_text().splitlines()]
        return [each for i, each in enumerate(lines) if each or (i and lines[i - 1])]

    def one_rank(self, rank: int) -> RenderableType:
        """One table, a row per round."""
        schedule = self.schedule(rank)
        rows = [(f"round {number}", schedule.round(number)) for number in range(len(schedule))]
        travel = common_travel(step for _, step in rows)
        title = Text("   ".join(filter(None, [f"\nrank {rank}", travel])), style="bold")
        return Group(self.heading(), title, self.table(rows))

    def step(self, rank: int, number: int) -> _core.Round | None:
        schedule = self.schedule(rank)
        return schedule.round(number) if number < len(schedule) else None

    @staticmethod
    def table(
        rows: Sequence[tuple[str, _core.Round | None]], gap_before: int | None = None
    ) -> Table:
        """A table without empty columns; with an ellipsis before the last row if `gap_before`."""
        rounds = [round_ for _, round_ in rows if round_ is not None]
        columns = {
            "sends": any(each.sends for each in rounds),
            "receives": any(each.recvs for each in rounds),
            "copies": any(each.copies for each in rounds),
        }
        table = Table(box=None, show_header=False, padding=(0, 3, 0, 2), pad_edge=False)
        table.add_column(style="cyan", no_wrap=True)
        for shown in columns.values():
            if shown:
                table.add_column(overflow="fold")
        for index, (label, round_) in enumerate(rows):
            if gap_before is not None and index == len(rows) - 1:
                table.add_row("  …")
            table.add_row("  " + label, *_cells(round_, columns))
        return table


def _cells(round_: _core.Round | None, columns: dict[str, bool]) -> list[str]:
    if round_ is None:
        return ["[dim]idle[/]"]
    cells = {
        "sends": [_message("→", each) for each in round_.sends],
        "receives": [_message("←", each) for each in round_.recvs],
        "copies": [
            f"{describe_blocks(each.source)} ∘ {_into(each.target)}"
            if each.reduces
            else f"{describe_blocks(each.source)} ⇒ {_into(each.target)}"
            for each in round_.copies
        ],
    }
    return ["\n".join(cells[name]) for name, shown in columns.items() if shown]


def _message(arrow: str, message: _core.Message) -> str:
    blocks = describe_blocks(message.ranges)
    return f"{arrow} {message.peer}: {blocks}" if blocks else f"{arrow} {message.peer}"


def _into(ranges: Sequence[_core.BlockRange]) -> str:
    text = describe_blocks(ranges)
    return text if text.startswith(("scratch", "send")) else f"recv {text}"
