"""Errors that end a command with one line on stderr and an exit code."""


class CommandError(Exception):
    """Ends the command: prints one line on stderr and exits with `exit_code`."""

    exit_code = 1


class InputError(CommandError):
    """The user's request is impossible; the line names the input and the remedy."""

    exit_code = 2


class Failure(CommandError):
    """The command ran, but its check, or the program that it started, failed."""

    exit_code = 1
