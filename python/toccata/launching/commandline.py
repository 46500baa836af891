"""The words of a command that starts an MPI program: its launcher, and the programs it starts.

    timeout 60 mpirun -n 2 numactl -l ./solver -v : -n 1 ./viewer
               launcher               program           program

The grammars contain the documented options of launchers and wrappers. A word after a launcher's
unknown option counts as its value, unless it is a program.
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
    letters: bool = False  # a word may have several letters, and a value behind the last: -lN2
    complete: bool = False  # options that are not listed have no value


def _grammar(values: str, twice: str = "", alone: str = "", letters: bool = False) -> Grammar:
    return Grammar(
        frozenset(values.split()),
        twice=frozenset(twice.split()),
        alone=frozenset(alone.split()),
        letters=letters,
    )


def _wrapper(values: str, words: int = 0) -> Grammar:
    return Grammar(frozenset(values.split()), words, letters=True, complete=True)


# Programs that start the following command, in the same process.
WRAPPERS = {
    "env": _wrapper("-u --unset -C --chdir -a --argv0"),
    "timeout": _wrapper("-k --kill-after -s --signal", words=1),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n --class --classdata"),
    "nohup": _wrapper(""),
    "setsid": _wrapper(""),
    "exec": _wrapper(""),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "taskset": _wrapper("", words=1),  # -c has no value: it says that the list is not a mask
    "time": _wrapper("-f -o --format --output"),
    "numactl": _wrapper("-i -m -N -c -C -p -P -w --interleave --membind --cpunodebind --cpubind "
                        "--physcpubind --preferred --preferred-many --weighted-interleave"),
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
_MCA = ("mca", "omca", "pmixmca", "prtemca")  # gmca: for all programs
_OPEN_MPI = _grammar(
    """
    -n -np -c --n --np -x --x -H -host --host -hostfile --hostfile -machinefile --machinefile -N
    -npernode --npernode -map-by --map-by -bind-to --bind-to -rank-by --rank-by -wdir --wdir -wd
    --wd -prefix --prefix -path --path -tune --tune -am --am -rf -rankfile --rankfile
    -output-filename --output-filename --output -timeout --timeout -cpu-set --cpu-set
    -personality --personality --runtime-options -app --app -stdin --stdin --display
    --report-uri --pset
    """,
    twice=" ".join(f"-{each} --{each}" for each in (*_MCA, *(f"g{each}" for each in _MCA), "pmca")),
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
    "mpiexec": Grammar(_OPEN_MPI.values | _HYDRA.values, twice=_OPEN_MPI.twice | _HYDRA.twice),
    "srun": _grammar(
        """
        -A -a -b -B -c -C -d -D -e -F -G -i -J -L -M -m -n -N -o -p -q -r -S -t -T -w -W -x
        --accel-bind --account --acctg-freq --bb --bbf --bcast-exclude --begin --chdir
        --cluster-constraint --clusters --comment --constraint --container --container-id
        --core-spec --cores-per-socket --cpu-bind --cpu-freq --cpus-per-gpu --cpus-per-task
        --deadline --delay-boot --dependency --distribution --epilog --error --exclude --export
        --extra --extra-node-info --gid --gpu-bind --gpu-freq --gpus --gpus-per-node
        --gpus-per-socket --gpus-per-task --gres --gres-flags --het-group --hint --input --job-name
        --jobid --licenses --mail-type --mail-user --mcs-label --mem --mem-bind --mem-per-cpu
        --mem-per-gpu --mincpus --mpi --msg-timeout --network --nodefile --nodelist --nodes --ntasks
        --ntasks-per-core --ntasks-per-gpu --ntasks-per-node --ntasks-per-socket --open-mode
        --output --partition --power --prefer --priority --profile --prolog --qos --relative
        --reservation --segment --signal --slurmd-debug --sockets-per-node --switches --task-epilog
        --task-prolog --tasks-per-node --thread-spec --threads --threads-per-core --time --time-min
        --tmp --tres-bind --tres-per-task --treewidth --uid --wait --wckey
        """,
        alone="""
        -E -h -H -I -k -K -l -O -Q -s -u -v -V -X -Z --bcast --compress --contiguous
        --disable-status --exact --exclusive --external --hold --immediate --kill-on-bad-exit
        --label --multi-prog --nice --no-allocate --no-kill --overcommit --overlap --oversubscribe
        --preserve-env --propagate --pty --quiet --quit-on-interrupt --reboot --resv-ports
        --send-libs --spread-job --stepmgr --test-only --unbuffered --use-min-nodes --verbose
        --wait-for-children --x11
        """,
        letters=True,
    ),
    "jsrun": _grammar(
        """
        -n --nrs -a --tasks_per_rs -c --cpu_per_rs -g --gpu_per_rs -r --rs_per_host -l
        --latency_priority -b --bind -d --launch_distribution -p --np -E --env -D --env_eval -F
        --env_del -h --chdir -o --stdio_stdout -k --stdio_stderr -t --stdio_input -e --stdio_mode
        -m --memory_per_rs -M --smpiargs -K --rs_per_socket -X --exit_on_error
        """,
        letters=True,
    ),
    "aprun": _grammar("-n -N -d -j -S -sl -sn -cc -L -m -e -p -r -B", letters=True),
    "flux": _grammar(
        """
        -n --ntasks -N --nodes -c --cores-per-task -g --gpus-per-task -t --time-limit -o --setopt
        -q --queue -B --bank -S --setattr --cores --tasks-per-node --tasks-per-core --gpus-per-node
        --env --env-remove --env-file --rlimit --cwd --requires --dependency --begin-time --signal
        --job-name --urgency --taskmap --conf --flags --output --error --input
        """,
        alone="-x --exclusive -l --label-io --unbuffered -v --verbose --dry-run",
        letters=True,
    ),
}
_SECTIONS = frozenset({"openmpi", "hydra", "mpiexec", "srun"})  # where a colon separates commands


# The options that set variables of the ranks.
_SETS = {
    "openmpi": {"-x", "--x"},
    "hydra": {"-genv", "--genv", "-env", "--env"},
    "mpiexec": {"-x", "--x", "-genv", "--genv", "-env", "--env"},
    "srun": {"--export"},
    "jsrun": {"-E", "--env"},
    "aprun": {"-e"},
    "flux": {"--env"},
}
# Open MPI's parameter with a list of variables.
ENV_LIST = "mca_base_env_list"


@dataclass(frozen=True)
class Option:
    """An option, its range of words, and its values. -lN2 has two names."""

    names: list[str]
    values: list[str]
    start: int
    end: int

    @property
    def is_env_list(self) -> bool:
        """Whether it is Open MPI's parameter with a list of variables."""
        return len(self.values) == 2 and self.values[0] == ENV_LIST

    def variables(self, kind: str) -> dict[str, str | None]:
        """The variables of the ranks that it sets, if the launcher is of that kind."""
        if self.is_env_list:
            return entries(self.values[1].split(";"))
        if not self.values or _SETS[kind].isdisjoint(self.names):
            return {}
        text = "=".join(self.values)  # of -genv NAME VALUE, too
        return entries(text.split(",") if kind == "srun" else [text])


def entries(words: Sequence[str]) -> dict[str, str | None]:
    """The variables in entries NAME=VALUE, and NAME for a value in the launcher's environment."""
    pairs = (each.partition("=") for each in words if each)
    return {name: value if equals else None for name, equals, value in pairs}


def kind_of(word: str) -> str:
    """The kind of the launcher with that name; "" for all others."""
    name = Path(word).name
    return next((kind for kind, names in KINDS.items() if re.match(names, name)), "")


def unwrapped(words: Sequence[str], at: int = 0) -> int:
    """The index of the command that wrappers from `at` on start; len(words) if there is none."""
    while at < len(words) and (grammar := WRAPPERS.get(Path(words[at]).name)) is not None:
        name = Path(words[at]).name
        at = _options(words, at + 1, grammar)[1]
        while name == "env" and at < len(words) and ("=" in words[at] or words[at] == "-"):
            at += 1  # a single - clears the environment
        at += grammar.words
    return min(at, len(words))


def assignments(words: Sequence[str]) -> dict[str, str]:
    """The settings of `env NAME=VALUE` before a launcher, which are not in our own environment."""
    return dict(word.split("=", 1) for word in words if re.match(r"\w+=", word))


def variables(words: Sequence[str]) -> dict[str, str]:
    """The variables that a command sets for its ranks, by `env` or by options of the launcher."""
    at = unwrapped(words)
    found = assignments(words[:at])
    kind = kind_of(words[at]) if at < len(words) else ""
    arguments = words[at + 1 :]
    for start, end in sections(arguments, kind) if kind else []:
        for option in options(arguments[:end], kind, start):
            said = option.variables(kind)
            found |= {name: value for name, value in said.items() if value is not None}
    return found


def programs(words: Sequence[str], kind: str) -> list[int]:
    """The indices of the programs in a launcher's arguments, from 0; none for `--version`."""
    found = []
    for start, end in sections(words, kind):
        at = unwrapped(words[:end], start_of_command(words[:end], kind, start))
        if at < end:
            found.append(at)
    return found


def start_of_options(words: Sequence[str], kind: str) -> int:
    """The index of a launcher's first option: flux run, flux mini run, flux submit."""
    return 0 if kind != "flux" else 2 if list(words[:1]) == ["mini"] else 1


def start_of_command(words: Sequence[str], kind: str, at: int = 0) -> int:
    """The index of the program, or its wrapper, after a launcher's options."""
    return _options(words, at or start_of_options(words, kind), GRAMMARS[kind])[1]


def options(words: Sequence[str], kind: str, at: int = 0) -> list[Option]:
    """The options of a launcher, before the program."""
    return _options(words, at or start_of_options(words, kind), GRAMMARS[kind])[0]


def sections(words: Sequence[str], kind: str) -> list[tuple[int, int]]:
    """The range of each program's arguments: `mpirun ... : ...` has several."""
    colons = [at for at, word in enumerate(words) if word == ":"] if kind in _SECTIONS else []
    starts = [0, *(at + 1 for at in colons)]
    return list(zip(starts, [*colons, len(words)], strict=True))


def _options(words: Sequence[str], at: int, grammar: Grammar) -> tuple[list[Option], int]:
    """The options from an index on, and the index of the following command."""
    found: list[Option] = []
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        if words[at] == "--":
            return found, at + 1
        found.append(_option(words, at, grammar))
        at = found[-1].end
    return found, min(at, len(words))


def _option(words: Sequence[str], at: int, grammar: Grammar) -> Option:
    word = words[at]
    if grammar.letters and word[:2] != "--" and word not in grammar.values:
        names, value = _letters(word, grammar)
        values = [value] if value else []
    else:
        name, equals, value = word.partition("=")
        names, values = [name], [value] if equals else []
    end = at + 1 + (0 if values else _separate(words, at + 1, names, grammar))
    return Option(names, values or list(words[at + 1 : end]), at, end)


def _letters(word: str, grammar: Grammar) -> tuple[list[str], str]:
    """The options in a word such as -lN2, and the value of the last one."""
    names = []
    for at in range(1, len(word)):
        names.append(f"-{word[at]}")
        if names[-1] in grammar.values:
            return names, word[at + 1 :]
    return names, ""


def _separate(words: Sequence[str], at: int, names: Sequence[str], grammar: Grammar) -> int:
    """The number of words from an index on that are values of an option."""
    name = names[-1]
    if name in grammar.twice:
        return 1 if "=" in "".join(words[at : at + 1]) else 2  # -genv NAME=VALUE
    if name in grammar.values:
        return 1
    if grammar.complete or name in grammar.alone or len(names) > 1:
        return 0
    if at + 1 >= len(words) or words[at].startswith("-"):
        return 0
    known = shutil.which(words[at]) is not None or Path(words[at]).name in WRAPPERS
    return 0 if known else 1
