"""Runs the command line in the process of the test."""

from typer.testing import CliRunner

from toccata.cli import app

runner = CliRunner()


def invoke(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout, stderr."""
    result = runner.invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def bench(*more: str) -> tuple[int, str, str]:
    return invoke("bench", "allgather", "--ranks", "3,4", "--sizes", "4,16", *more)
