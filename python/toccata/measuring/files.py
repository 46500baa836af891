"""The files of a benchmark or a simulation, and their contents."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toccata import outputs
from toccata.measuring.results import Results, write_csv, write_json


@dataclass(frozen=True)
class Files:
    """The files to write."""

    csv: Path
    json: Path
    heatmap: Path | None
    scaling: Path | None = None

    @classmethod
    def of(
        cls,
        stem: Path,
        csv: Path | None,
        json: Path | None,
        heatmap: Path | None,
        scaling: Path | None = None,
        paper: bool = False,
    ) -> "Files":
        """The requested paths, by default all in one folder. `paper` adds the scaling."""

        def named(ending: str) -> Path:
            return stem.with_name(stem.name + ending)

        if paper:
            scaling = outputs.picture(scaling, named("-scaling.png"))
        return cls(
            csv or named(".csv"),
            json or named(".json"),
            outputs.picture(heatmap, named(".png")),
            scaling,
        )

    def check(self, reads: Sequence[outputs.Input] = ()) -> None:
        """InputError if one cannot be written, or is also read."""
        outputs.check(self.csv, self.json, pictures=[self.heatmap, self.scaling], reads=reads)

    def write_results(self, results: Results, complete: bool = True) -> None:
        write_csv(results, self.csv, complete=complete)
        write_json(results, self.json, complete=complete)

    def write_partial(self, results: Results) -> None:
        """The results of an interrupted command, if there are any, and a warning."""
        if results.all:
            self.write_results(results, complete=False)
            print(f"toccata: {self.csv} and {self.json} are incomplete", file=sys.stderr)
