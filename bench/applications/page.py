"""The table of docs/performance/applications.md and its figure, from the rows of a CSV file."""

from collections.abc import Sequence
from pathlib import Path

BEGIN, END = "<!-- table: written by make applications -->\n", "<!-- end of the table -->\n"
Cells = dict[str, str]
AUTOMATIC = ("first", "learned", "tuned")  # the variants in which the library chooses


def table(rows: Sequence[Cells]) -> str:
    lines = [
        "| program | ranks | collectives, s | bare, s | first, s | learned, s | tuned, s "
        "| forced, s | captured: first | learned | tuned | same results |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        gains = any(row.get(f"captured_{way}") for way in AUTOMATIC)
        if row["place"] == "one node" and not gains:
            continue  # the CSV file has it
        cells = [
            row["program"],
            f"{row['ranks']}, {row['place']}",
            row["collectives_s"],
            *(_time(row, way) for way in ("bare", *AUTOMATIC, "forced")),
            *(row.get(f"captured_{way}") or "–" for way in AUTOMATIC),
            row["results_agree"],
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _time(row: Cells, way: str) -> str:
    seconds = row.get(f"{way}_s")
    return f"{seconds} ({row[f'{way}_range_s']})" if seconds else "–"


def fill(page: Path, rows: Sequence[Cells]) -> None:
    """Replaces the table of the page. ValueError if the page has no table."""
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has no place for the table")
    page.write_text(f"{before}{begin}\n{table(rows)}\n{end}{after}")


def draw(rows: Sequence[Cells], path: Path) -> None:
    """Times relative to bare, and the captured share if there is a gain."""
    from matplotlib import patches, pyplot  # not needed to measure

    ways = [each for each in (*AUTOMATIC, "forced") if any(row.get(f"{each}_s") for row in rows)]
    height = 0.75 / len(ways)
    figure, axis = pyplot.subplots(figsize=(8, 0.6 + 0.2 * len(ways) * len(rows)))
    for place, row in enumerate(rows):
        for offset, way in enumerate(ways):
            if not row.get(f"{way}_s"):
                continue
            share = float(row[f"{way}_s"]) / float(row["bare_s"])
            captured = row.get(f"captured_{way}", "")
            gains = captured and float(captured) > 0
            text = f"{share:.2f}" + (f", {float(captured):.0%} of the gain" if gains else "")
            y = place + height * (offset - (len(ways) - 1) / 2)
            axis.barh(y, share, 0.9 * height, color=f"C{offset}")
            axis.text(share, y, f" {text}", va="center", fontsize=7)
    names = [f"{row['program']}, {row['ranks']} ranks, {row['place']}" for row in rows]
    axis.set_yticks(range(len(rows)), names)
    axis.invert_yaxis()
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set_xlabel("time of the program relative to bare")
    axis.set_xlim(0, 1.25 * axis.get_xlim()[1])  # room for the texts
    axis.legend(
        handles=[patches.Patch(color=f"C{i}", label=way) for i, way in enumerate(ways)],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(ways),
        frameon=False,
        fontsize=8,
    )
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
