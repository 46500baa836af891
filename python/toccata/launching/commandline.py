"""The words of a command that starts an MPI program: its launcher, and the programs it starts.

    timeout 60 mpirun -n 2 numactl -l ./solver -v : -n 1 ./viewer
               launcher               program           program

The grammars contain the documented options of launchers and wrappers. A word after an unknown
option counts as its value, unless it is a program.
"""

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Grammar:
    """The options that take separate words as values, and the number of words before a command."""

    values: frozenset[str]
    words: int = 0
    twice: frozenset[str] = frozenset()  # options with two values
    alone: frozenset[str] = frozenset()  # options without a value, even if a word follows


def _grammar(values: str, words: int = 0, twice: str = "", alone: str = "") -> Grammar:
    return Grammar(
        frozenset(values.split()), words, frozenset(twice.split()), frozenset(alone.split())
    )


# Programs that start the following command, in the same process.
WRAPPERS = {
    "env": _grammar("-u --unset -C --chdir"),
    "timeout": _grammar("-k --kill-after -s --signal", words=1),
    "nice": _grammar("-n --adjustment"),
    "ionice": _grammar("-c -n --class --classdata"),
    "nohup": _grammar(""),
    "setsid": _grammar(""),
    "exec": _grammar(""),
    "stdbuf": _grammar("-i -o -e --input --output --error"),
    "taskset": _grammar("", words=1, alone="-c --cpu-list -a --all-tasks"),
    "time": _grammar("-f -o --format --output"),
    "numactl": _grammar("-i -m -N -C -p -P -w --interleave --membind --cpunodebind --physcpubind "
                        "--preferred --preferred-many --weighted-interleave"),
}  # fmt: skip

# Names of launchers by kind. Launchers of a kind pass variables to other hosts in the same way.
KINDS = {
    "openmpi": r"(orterun|prterun)(\W.*)?$",
    "hydra": r"mpiexec\.hydra$",
    "mpiexec": r"(mpirun|mpiexec)(\W.*)?$",  # of any MPI: its --version shows which
    "srun": r"srun$",
    "jsrun": r"jsrun$",
    "aprun": r"aprun$",
    "flux": r"flux$",
}
_OPEN_MPI = _grammar(
    """
    -n -np -c --n --np -x -H -host --host -hostfile --hostfile -machinefile --machinefile -N
    -npernode --npernode -map-by --map-by -bind-to --bind-to -rank-by --rank-by -wdir --wdir -wd
    --wd -prefix --prefix -path --path -tune --tune -am --am -rf -rankfile --rankfile
    -output-filename --output-filename --output -timeout --timeout -cpu-set --cpu-set
    -personality --personality --runtime-options -app --app -stdin --stdin --display
    --report-uri --pset
    """,
    twice="-mca --mca -gmca --gmca -pmca --pmca --prtemca",
)
_HYDRA = _grammar(
    """
    -n -np -f -hosts --hosts -host --host -hostfile --hostfile -machinefile --machinefile -ppn
    -perhost -wdir --wdir -genvlist -envlist -path -configfile -bind-to --bind-to -map-by
    --map-by -membind -launcher -bootstrap -launcher-exec -rmk -iface -outfile-pattern
    -errfile-pattern -demux -topolib -pmi-port -prepend-pattern -hostlist
    """,
    twice="-genv --genv -env --env",
)
GRAMMARS = {
    "openmpi": _OPEN_MPI,
    "hydra": _HYDRA,
    "mpiexec": Grammar(_OPEN_MPI.values | _HYDRA.values, 0, _OPEN_MPI.twice | _HYDRA.twice),
    "srun": _grammar(
        "-A -a -b -B -c -C -d -D -e -F -G -i -J -L -M -m -n -N -o -p -q -r -S -t -T -w -W -x"
    ),
    "jsrun": _grammar(
        """
        -n --nrs -a --tasks_per_rs -c --cpu_per_rs -g --gpu_per_rs -r --rs_per_host -l
        --latency_priority -b --bind -d --launch_distribution -p --np -E --env -D --env_eval -F
        --env_del -h --chdir -o --stdio_stdout -k --stdio_stderr
        """
    ),
    "aprun": _grammar("-n -N -d -j -S -cc -L -m -e -p -r -B"),
    "flux": _grammar(
        """
        -n --ntasks -N --nodes -c --cores-per-task -g --gpus-per-task -t --time-limit -o --setopt
        -q --queue -B --bank --cores --tasks-per-node --env --env-remove --cwd --requires --output
        --error --input
        """
    ),
}
_SECTIONS = frozenset({"openmpi", "hydra", "mpiexec", "srun"})  # where a colon separates commands


def kind_of(word: str) -> str:
    """The kind of the launcher with that name; "" for all others."""
    name = Path(word).name
    return next((kind for kind, names in KINDS.items() if re.match(names, name)), "")


def unwrapped(words: Sequence[str], at: int = 0) -> int:
    """The index of the command that wrappers from `at` on start; len(words) if there is none."""
    while at < len(words) and (grammar := WRAPPERS.get(Path(words[at]).name)) is not None:
        name = Path(words[at]).name
        at = _past_options(words, at + 1, grammar)
        while name == "env" and at < len(words) and "=" in words[at]:
            at += 1
        at += grammar.words
    return min(at, len(words))


def assignments(words: Sequence[str]) -> dict[str, str]:
    """The settings of `env NAME=VALUE` before a launcher, which are not in our own environment."""
    return dict(word.split("=", 1) for word in words if re.match(r"\w+=", word))


def programs(words: Sequence[str], kind: str) -> list[int]:
    """The indices of the programs in a launcher's arguments, from 0; none for `--version`."""
    found = []
    for start, end in sections(words, kind):
        at = unwrapped(words[:end], start_of_command(words[:end], kind, start))
        if at < end:
            found.append(at)
    return found


def start_of_command(words: Sequence[str], kind: str, at: int = 0) -> int:
    """The index of the program, or its wrapper, after a launcher's options."""
    if kind == "flux" and at == 0:  # flux run, flux mini run, flux submit
        at += 2 if words[:1] == ["mini"] else 1
    return _past_options(words, at, GRAMMARS[kind])


def sections(words: Sequence[str], kind: str) -> list[tuple[int, int]]:
    """The range of each program's arguments: `mpirun ... : ...` has several."""
    colons = [at for at, word in enumerate(words) if word == ":"] if kind in _SECTIONS else []
    starts = [0, *(at + 1 for at in colons)]
    return list(zip(starts, [*colons, len(words)], strict=True))


def _past_options(words: Sequence[str], at: int, grammar: Grammar) -> int:
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        option = words[at]
        at += 1
        if option == "--":
            return at
        if option in grammar.twice:
            at += 2
        elif option in grammar.values:
            at += 1
        elif (
            option not in grammar.alone
            and "=" not in option
            and at + 1 < len(words)
            and not words[at].startswith("-")
        ):
            known = shutil.which(words[at]) is not None or Path(words[at]).name in WRAPPERS
            at += not known
    return at
