"""The table of docs/performance/applications.md and its figure, from the rows of a CSV file."""

from collections.abc import Sequence
from pathlib import Path

BEGIN, END = "<!-- table: written by make applications -->\n", "<!-- end of the table -->\n"
Cells = dict[str, str]


def table(rows: Sequence[Cells]) -> str:
    lines = [
        "| program | ranks | collectives, s | bare, s | first, s | learned, s | forced, s "
        "| captured: first | learned | same results |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        times = (f"{row[f'{way}_s']} ({row[f'{way}_range_s']})" for way in
                 ("bare", "first", "learned", "forced"))  # fmt: skip
        cells = [
            row["program"],
            f"{row['ranks']}, {row['place']}",
            row["collectives_s"],
            *times,
            row["captured_first"] or "–",
            row["captured_learned"] or "–",
            row["results_agree"],
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def fill(page: Path, rows: Sequence[Cells]) -> None:
    """Replaces the table of the page. ValueError if the page has no table."""
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has no place for the table")
    page.write_text(f"{before}{begin}\n{table(rows)}\n{end}{after}")


def draw(rows: Sequence[Cells], path: Path) -> None:
    """Times relative to bare, and the captured share if there is a gain."""
    from matplotlib import pyplot  # not needed to measure

    ways = ("first", "learned", "forced")
    figure, axis = pyplot.subplots(figsize=(8, 0.6 + 0.6 * len(rows)))
    for place, row in enumerate(rows):
        for offset, way in enumerate(ways):
            share = float(row[f"{way}_s"]) / float(row["bare_s"])
            captured = row.get(f"captured_{way}", "")
            gains = captured and float(captured) > 0
            text = f"{share:.2f}" + (f", {float(captured):.0%} of the gain" if gains else "")
            label = way if place == 0 else None
            axis.barh(place + 0.25 * (offset - 1), share, 0.23, color=f"C{offset}", label=label)
            axis.text(share, place + 0.25 * (offset - 1), f" {text}", va="center", fontsize=7)
    names = [f"{row['program']}, {row['ranks']} ranks, {row['place']}" for row in rows]
    axis.set_yticks(range(len(rows)), names)
    axis.invert_yaxis()
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set_xlabel("time of the program relative to bare")
    axis.set_xlim(0, 1.25 * axis.get_xlim()[1])  # room for the texts
    axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(ways), frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
