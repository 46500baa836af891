#!/usr/bin/env python3
"""checking.py [--hosts 4|8] [--healthy N] [--launcher NAME]: `toccata check` and planted faults.

Brings up the emulated hosts of up.sh, plants one or two faults at a time, and prints whether the
check names the right hosts and switches and nothing else. With --healthy, there is no fault; every
second run is beside a compiler on the same cores. For other MPIs than Open MPI 4.1, TOCCATA_BUILD
names a build for that MPI. Needs root.
"""

import argparse
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "bench/cluster"
RATE, DELAY = 100, 1000  # Mbit/s, µs
LIMIT = 200  # seconds of a run


def run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def shape(namespace: str, device: str, rate: float) -> None:
    words = ["tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate", f"{rate:g}mbit"]
    run("ip", "netns", "exec", namespace, *words, "burst", "9100", "limit", "4mb")


def ends(host: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Both ends of a host's cable."""
    return (f"toccata{host}", "eth0"), ("toccata-switches", f"port{host}")


@contextmanager
def slow_host(host: int, share: float) -> Iterator[None]:
    for end in ends(host):
        shape(*end, RATE * share)
    yield
    for end in ends(host):
        shape(*end, RATE)


@contextmanager
def slow_uplink(hosts: int, share: float) -> Iterator[None]:
    """The cable between both leaves, in both directions."""
    whole = RATE * hosts / 2
    for leaf in (0, 1):
        shape("toccata-switches", f"core{leaf}", whole * share)
    yield
    for leaf in (0, 1):
        shape("toccata-switches", f"core{leaf}", whole)


@contextmanager
def late_host(host: int, share: float, hosts: int) -> Iterator[None]:
    """Round trips with this host take longer by a share."""
    delay_line({host: round(DELAY * (1 + 2 * share))}, hosts)
    yield
    delay_line({}, hosts)


def delay_line(delays: dict[int, int], hosts: int) -> None:
    """Starts the delay line again, with other delays of packets to some hosts."""
    pidfile = ROOT / "build/cluster/delayd.pid"
    os.kill(int(pidfile.read_text()), signal.SIGTERM)
    pidfile.unlink()
    queues = [f"toccata{host}:1:{delays.get(host, DELAY)}" for host in range(hosts)]
    subprocess.Popen(
        [ROOT / "build/cluster/delayd", "-r", "50", "-f", pidfile, *queues],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    while not (pidfile.exists() and pidfile.read_text()):
        time.sleep(0.02)


@contextmanager
def lossy_host(host: int, share: float) -> Iterator[None]:
    rule = ["INPUT", "-i", "eth0", "-m", "statistic", "--mode", "random",
            "--probability", str(share), "-j", "DROP"]  # fmt: skip
    inside = ["ip", "netns", "exec", f"toccata{host}", "iptables-legacy"]
    run(*inside, "-I", *rule)
    yield
    run(*inside, "-D", *rule)


@contextmanager
def slow_core(host: int, share: float) -> Iterator[None]:
    """Stops the program on this host for a part of each 20 ms."""
    ended = threading.Event()

    def stop_and_continue() -> None:
        while not ended.is_set():
            pids = programs(host)
            until = time.monotonic() + 0.5
            while time.monotonic() < until and not ended.is_set():
                for number, seconds in ((signal.SIGSTOP, 1 - share), (signal.SIGCONT, share)):
                    for pid in pids:
                        with suppress(ProcessLookupError):
                            os.kill(pid, number)
                    time.sleep(0.02 * seconds)

    thread = threading.Thread(target=stop_and_continue)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def programs(host: int) -> list[int]:
    """The processes of the check on a host."""
    words = ["ip", "netns", "pids", f"toccata{host}"]
    pids = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    found = []
    for pid in pids:
        try:
            name = Path(f"/proc/{pid}/comm").read_text().strip()
        except OSError:
            continue
        if name == "toccata_check":
            found.append(int(pid))
    return found


@contextmanager
def compiler() -> Iterator[None]:
    """A compiler that runs again and again, on as many cores as there are."""
    source = '#include <regex>\n#include <map>\nint main() { std::regex r("a+"); return 0; }\n'
    loop = f"while :; do printf '%s' '{source}' | c++ -std=c++20 -O2 -x c++ - -o /dev/null; done"
    jobs = [
        subprocess.Popen(["bash", "-c", loop], start_new_session=True, stderr=subprocess.DEVNULL)
        for _ in range(os.cpu_count() or 1)
    ]
    yield
    for job in jobs:
        os.killpg(job.pid, signal.SIGTERM)
        job.wait()


Fault = tuple[str, Callable[[], object], str]  # name, planting, the part to be named


def faults(hosts: int) -> list[list[Fault]]:
    """Single faults on changing hosts, then pairs of them."""
    host = itertools.cycle(range(hosts - 1, -1, -1))
    single: list[Fault] = []
    for share in (0.8, 0.5, 0.1):
        at = next(host)
        single.append((f"rate {share}", lambda at=at, s=share: slow_host(at, s), f"toccata{at}"))
    for share in (0.25, 1.0):
        at = next(host)
        single.append((f"latency +{share:.0%}", lambda at=at, s=share: late_host(at, s, hosts),
                       f"toccata{at}"))  # fmt: skip
    for share in (0.01, 0.05):
        at = next(host)
        single.append((f"loss {share:.0%}", lambda at=at, s=share: lossy_host(at, s),
                       f"toccata{at}"))  # fmt: skip
    at = next(host)
    single.append(("slow core 0.5", lambda at=at: slow_core(at, 0.5), f"toccata{at}"))
    single.append(("uplink 0.5", lambda: slow_uplink(hosts, 0.5), "leaf"))
    pairs = [
        [("rate 0.5", lambda: slow_host(0, 0.5), "toccata0"),
         ("rate 0.3", lambda: slow_host(hosts - 1, 0.3), "toccata" + str(hosts - 1))],
        [("rate 0.5", lambda: slow_host(1, 0.5), "toccata1"),
         ("loss 5%", lambda: lossy_host(hosts - 2, 0.05), f"toccata{hosts - 2}")],
    ]  # fmt: skip
    return [[each] for each in single] + pairs


def check(
    hosts: int, topology: str, launcher: str
) -> tuple[int, list[dict[str, object]], str, float]:
    """Exit code, findings, output, seconds."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "check.json"
        begin = time.monotonic()
        done = subprocess.run(
            [ROOT / "toccata", "check", "--no-collectives", "--machine", topology,
             "--json", written, "--", launcher, "-n", str(hosts)],
            env=os.environ | {"PATH": f"{CLUSTER / 'bin'}:{os.environ['PATH']}", "SLOTS": "1",
                              "HOSTS": str(hosts)},
            capture_output=True, text=True, timeout=LIMIT, check=False,
        )  # fmt: skip
        seconds = time.monotonic() - begin
        findings = json.loads(written.read_text())["findings"] if written.exists() else []
    return done.returncode, findings, done.stdout + done.stderr, seconds


def one(hosts: int, topology: str, launcher: str, planted: Sequence[Fault]) -> bool:
    with ExitStack() as stack:
        for _, plant, _ in planted:
            stack.enter_context(plant())
        code, findings, output, seconds = check(hosts, topology, launcher)
    named = {str(each["name"]) for each in findings}
    wanted = {part for _, _, part in planted}
    right = all(any(name.startswith(part) for name in named) for part in wanted) and all(
        any(name.startswith(part) for part in wanted) for name in named
    )
    right = right and code == (3 if planted else 0)
    what = ", ".join(f"{name} of {part}" for name, _, part in planted) or "healthy"
    print(f"| {hosts} | {what} | {'yes' if right else '**no**'} | {seconds:.0f} | "
          f"{'; '.join(str(each['text']) for each in findings)} |", flush=True)  # fmt: skip
    if not right:
        print(re.sub(r"^", "    ", output[-3000:], flags=re.MULTILINE), file=sys.stderr)
    return right


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--hosts", type=int, default=4, choices=(4, 8))
    options.add_argument("--healthy", type=int, default=0)
    options.add_argument("--only", default="")
    options.add_argument("--launcher", default="mpirun", help="in bench/cluster/bin")
    options.add_argument("--repeat", type=int, default=1)
    given = options.parse_args()
    hosts = given.hosts
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the hosts go down
    environment = os.environ | {"HOSTS": str(hosts), "CORE": f"{RATE * hosts // 2}mbit"}
    subprocess.run([CLUSTER / "up.sh"], env=environment, check=True)
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as topology:
            topology.write(
                f"machine leaf:2 node:{hosts // 2} core:1\nlabels leaf leaf0,leaf1\n"
                f"labels node toccata[0-{hosts - 1}]\n"
            )
            topology.flush()
            results = []
            for number in range(given.healthy):
                with compiler() if number % 2 else ExitStack():
                    results.append(one(hosts, topology.name, given.launcher, []))
            for planted in [] if given.healthy else faults(hosts) * given.repeat:
                if given.only in " ".join(name for name, _, _ in planted):
                    results.append(one(hosts, topology.name, given.launcher, planted))
        print(f"right: {sum(results)} of {len(results)}")
    finally:
        subprocess.run([CLUSTER / "down.sh"], check=True)


if __name__ == "__main__":
    main()
