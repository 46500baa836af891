"""Random applications by seed (soak.cpp), bare and under Toccata with random forced algorithms.

Results must be equal, byte for byte; callbacks must run equally often; and a later pass must not
need more memory. For each failing seed, it prints the error and the command that repeats the run.
"""

import argparse
import os
import random
import re
import shlex
import sys
import time
from itertools import pairwise

from jobs import Job

COLLECTIVES = ["ALLGATHER", "ALLTOALL", "ALLTOALLV", "BCAST", "GATHER", "GATHERV", "SCATTER"]
COLLECTIVES += ["SCATTERV", "REDUCE", "ALLREDUCE", "REDUCE_SCATTER", "SCAN", "EXSCAN", "BARRIER"]
# Features that work bare: MPICH over UCX cannot spawn, and Open MPI's spawning sometimes hangs.
# Groups require MPI 4.
FEATURES = {
    "openmpi": ["threads", "inter", "errors"],
    "mpich": ["threads", "inter", "errors", "groups"],
    "abi": ["threads", "inter", "errors", "groups"],
    "intelmpi": ["threads", "inter", "errors"],
}
# Machines for topology-aware algorithms; each has room for all ranks.
TOPOLOGIES = ["", "", "node:2 core:3", "node:3 socket:2 core:1", "torus:3x2", "node:3 core:1*2,3"]
PLACEMENTS = ["", "cyclic", "random:1"]
# Growth in bytes per pass, compared with a bare run, that is not a leak. Under Open MPI, the pools
# of fragments always grow a little, depending on the number of messages in flight.
NOISE = 8192
# MPICH 4.0.2 of Debian 12 keeps 64 bytes of each derived datatype that was committed and freed.
NOISE_OF_DATATYPES = 32768
PASSES = 6
PATIENCE = 120  # seconds


class Soak:
    def __init__(self, options):
        self.options = options
        self.failures = 0
        self.ran = {}  # algorithm -> calls, over all runs
        self.growth = [0]

    def run(self, seed, ranks, features, settings, preload=True, passes=PASSES):
        """The completed process, and the words of the command that repeats it."""
        o = self.options
        libraries = [o.library] if preload else []
        libraries += [o.also_preload] if o.also_preload else []
        settings = {"LD_PRELOAD": " ".join(libraries)} | settings
        command = [o.soak, str(seed), str(o.steps), f"passes={passes}", *features]
        launcher = shlex.split(o.launcher)
        job = Job(
            launcher, PATIENCE, command, ranks, settings, for_launcher="spawn" in features,
            reports=preload,
        )  # fmt: skip
        given = [f"{name}={value}" for name, value in settings.items()]
        started = [*launcher, "-n", str(ranks)]
        words = ["env", *given, *started] if "spawn" in features else [*started, "env", *given]
        return job.outcome(), shlex.join([*words, *command])

    def complaints(self, value_of):
        """Toccata's messages, by collective, for requests of algorithms that do not exist."""
        settings = {f"TOCCATA_{name}": value_of(name) for name in COLLECTIVES}
        done, _ = self.run(1, 2, [], settings, passes=1)
        return dict(re.findall(r"^toccata: TOCCATA_(\w+)=[^\n]*?: (.*)$", done.stderr, re.M))

    def known(self):
        """{collective: [(algorithm, {parameter: values})]}, from the library itself."""
        told = self.complaints(lambda name: "?")
        names = {
            collective: re.search(r"expected one of native, ([\w, ]+)", words)[1].split(", ")
            for collective, words in told.items()
        }
        if set(names) != set(COLLECTIVES):
            sys.exit(f"no algorithms told for {set(COLLECTIVES) - set(names)}: {told}")
        result = {name: [] for name in names}
        for i in range(max(map(len, names.values()))):
            told = self.complaints(lambda name, i=i: f"{names[name][i % len(names[name])]}:?=?")
            for collective, words in told.items():
                if i < len(names[collective]):
                    parameters = dict(re.findall(r"(\w+)=([^, ]+?)[,.](?= |$)", words))
                    result[collective].append((names[collective][i], parameters))
        return result

    def asked(self, rng, known):
        """Random settings."""
        settings = {}
        for collective, algorithms in known.items():
            if rng.random() < 0.15:
                continue
            name, parameters = rng.choice(algorithms)
            chosen = []
            for parameter, values in parameters.items():
                numbers = re.fullmatch(r"(\d+)\.\.(\d+)", values)
                if rng.random() < 0.5:
                    continue
                if numbers:
                    low, high = int(numbers[1]), int(numbers[2])
                    value = rng.randint(low, min(high, low + 8))
                else:
                    value = rng.choice(values.split("|"))
                chosen.append(f"{parameter}={value}")
            settings[f"TOCCATA_{collective}"] = ":".join(filter(None, [name, ",".join(chosen)]))
        if rng.random() < 0.1:
            settings["TOCCATA_SUMS"] = "reproducible"
        topology = rng.choice(TOPOLOGIES)
        if topology:
            placement = rng.choice(PLACEMENTS)
            where = f" placement:{placement}" if placement else ""
            settings["TOCCATA_TOPOLOGY"] = topology + where
        return settings

    def count(self, rows):
        for row in rows:
            self.ran[row["choice"]] = self.ran.get(row["choice"], 0) + row["calls"]

    def noise(self, settings):
        makes_datatypes = any("travel=datatype" in each for each in settings.values())
        return NOISE_OF_DATATYPES if makes_datatypes and self.options.family == "mpich" else NOISE

    def fault(self, bare, done, again, noise):
        """The error of a seed, or None. `again(passes)` repeats both runs, bare and preloaded."""
        if done.returncode != 0:
            last = "\n".join(done.stderr.splitlines()[-15:])
            return f"ends with {done.returncode}:\n{last}"
        for expected, got in zip(results(bare), results(done), strict=True):
            if expected != got:
                return f"bare      {expected}\npreloaded {got}"
        grown = growth(bare, done)
        if grown > noise:  # memory pools may still grow; a leak never ends
            grown = growth(*again(4 * PASSES))
        self.growth.append(grown)
        return f"grows by {grown} bytes a pass more than bare" if grown > noise else None

    def seed(self, seed, known):
        rng = random.Random(seed)
        ranks = rng.randint(2, 5)
        features = [
            each for each in FEATURES[self.options.family.partition("-")[0]] if rng.random() < 0.4
        ]
        bare, command = self.run(seed, ranks, features, {}, preload=False)
        if bare.returncode != 0:
            # Then the soak requests features that the MPI does not have, and must be corrected.
            self.fail(seed, f"bare: {bare.returncode}\n{bare.stderr[-2000:]}", command)
            return
        for _ in range(2):
            settings = self.asked(rng, known)
            done, command = self.run(seed, ranks, features, settings)
            self.count(done.rows)

            def again(passes, settings=settings):
                of_bare, _ = self.run(seed, ranks, features, {}, preload=False, passes=passes)
                of_ours, _ = self.run(seed, ranks, features, settings, passes=passes)
                return of_bare, of_ours

            fault = self.fault(bare, done, again, self.noise(settings))
            if fault:
                self.fail(seed, fault, command)

    def fail(self, seed, fault, command):
        self.failures += 1
        print(f"seed {seed}: {fault}\n  repeat: {command}\n", flush=True)


def results(done):
    return [line for line in done.stdout.splitlines() if line.startswith("rank ")]


def growth(bare, done):
    """The bytes a pass by which a rank's memory grows more than bare; the maximum of all ranks."""
    return max(now - before for before, now in zip(leaks(bare), leaks(done), strict=True))


def leaks(done):
    """Per rank, the lowest growth of memory in a later pass; pools grow only once."""
    passes = [
        [int(word) for word in line.split()[1:]]
        for line in done.stdout.splitlines()
        if line.startswith("memory ")
    ]
    return [min(now - before for before, now in pairwise(each[1:])) for each in passes]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--family", required=True, help="as openmpi, or openmpi-5.0")
    arguments.add_argument("--library", required=True)
    arguments.add_argument("--also-preload", default="")
    arguments.add_argument("--launcher", required=True, help="its command line")
    arguments.add_argument("--soak", required=True, help="the program")
    arguments.add_argument("--seconds", type=float, default=30)
    arguments.add_argument("--steps", type=int, default=60, help="of each program")
    arguments.add_argument("--seed", type=int, help="this one alone; else, the day's")
    options = arguments.parse_args()
    soak = Soak(options)
    started = time.monotonic()
    known = soak.known()
    if options.seed is not None:
        soak.seed(options.seed, known)
        seeds = 1
    else:
        # Seeds change daily. They are the same all day, so that a failure can be repeated.
        first = int(os.environ.get("SOAK_FIRST_SEED", int(time.time() // 86400) * 10000))
        seeds = 0
        while seeds == 0 or time.monotonic() - started < options.seconds:
            soak.seed(first + seeds, known)
            seeds += 1
    ours = sum(calls for name, calls in soak.ran.items() if "native" not in name)
    print(
        f"{options.family}: {seeds} seeds, {soak.failures} failures; {ours} calls by "
        f"{sum('native' not in name for name in soak.ran)} algorithms of ours; memory grew by "
        f"{max(soak.growth)} bytes a pass at most"
    )
    if ours == 0:
        print("nothing ran by an algorithm of ours")
    return 0 if soak.failures == 0 and ours > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
