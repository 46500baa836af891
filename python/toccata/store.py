"""Values that commands keep for later ones, in an SQLite database.

Several processes and threads may use it at once: SQLite's locks order their transactions, and a
value is stored whole or not at all.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock

from toccata.errors import Failure

PATIENCE = 60.0  # seconds to wait for the transactions of other processes
# The journal is SQLite's standard one. A write-ahead log does not work on network file systems, and
# home directories may be on one.
SCHEMA = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"


class Store:
    """Texts by key. Failure, with the file and the remedy, if the database cannot be used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()  # a connection serves one thread at a time
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._complaints():
            self._database = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
        with self._transaction() as database:
            database.execute(SCHEMA)

    def get(self, key: str) -> str | None:
        """The value, if there is one."""
        with self._transaction() as database:
            found = database.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
        return None if found is None else str(found[0])

    def put(self, values: Mapping[str, str]) -> None:
        """Stores all in one transaction, and replaces earlier values."""
        with self._transaction() as database:
            database.executemany("REPLACE INTO kept VALUES (?, ?)", values.items())

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._complaints(), self._lock, self._database:
            yield self._database

    @contextmanager
    def _complaints(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise Failure(
                f"'{self._path}' cannot be used: {error}; remove the file, or set XDG_CACHE_HOME "
                "to a folder that you can write to"
            ) from None


def cache_home() -> Path:
    """The folder for values that are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "toccata"


@cache
def at(path: Path) -> Store:
    """The store in that file, which is created if it does not exist."""
    return Store(path)
