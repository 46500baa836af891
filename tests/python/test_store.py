"""Results that commands store for later commands."""

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from toccata import store
from toccata.errors import Failure
from toccata.store import Store


def test_values_are_kept_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "results.sqlite"
    first = Store(path)
    assert first.get("a") is None
    first.put({"a": "1", "b": "2"})
    first.put({"a": "3"})
    assert [Store(path).get(each) for each in "abc"] == ["3", "2", None]
    assert store.at(path) is store.at(path)


WRITER = """
import sys
from pathlib import Path
from toccata.store import Store
path, me = Path(sys.argv[1]), sys.argv[2]
sys.stdin.readline()
kept = Store(path)
for i in range(50):
    kept.put({f"{me} {i}": me * 1000, "shared": me * 100_000})
    shared = kept.get("shared")
    assert len(shared) == 100_000 and set(shared) == {shared[0]}, "half of two values"
"""


def test_processes_write_at_the_same_time(tmp_path: Path) -> None:
    """Several writers at once, including the first ones, which create the database."""
    path = tmp_path / "results.sqlite"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), each], stdin=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, env=environment)
        for each in "wxyz"
    ]  # fmt: skip
    for each in writers:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    assert [each.communicate()[1] for each in writers] == [""] * 4
    kept = Store(path)
    assert all(kept.get(f"{each} {i}") == each * 1000 for each in "wxyz" for i in range(50))


def test_a_writer_waits_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.sqlite"
    kept, other = Store(path), sqlite3.connect(path)
    other.execute("BEGIN EXCLUSIVE")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(kept.put, {"a": "1"})
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.2)
        other.rollback()
        waiting.result()
    assert kept.get("a") == "1"
    monkeypatch.setattr(store, "PATIENCE", 0.01)
    impatient = Store(path)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Failure, match="database is locked"):
        impatient.put({"a": "2"})
    other.close()


def test_threads_share_a_store(tmp_path: Path) -> None:
    kept = Store(tmp_path / "results.sqlite")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: kept.put({str(i): str(i)}), range(200)))
    assert all(kept.get(str(i)) == str(i) for i in range(200))


def test_a_transaction_is_whole_or_nothing(tmp_path: Path) -> None:
    kept = Store(tmp_path / "results.sqlite")
    with pytest.raises(Failure):
        kept.put({"a": "1", "b": None})  # type: ignore[dict-item]
    assert kept.get("a") is None


def test_what_is_no_database_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "file", tmp_path / "folder"):
        if path.name == "file":
            path.write_text("no database " * 1000)
        else:
            path.mkdir()
        with pytest.raises(Failure, match=rf"'{path}' cannot be used: .*; remove the file, or set"):
            Store(path)
