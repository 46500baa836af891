"""How a command ends if it cannot do its work: one line, and an exit code."""


class CommandError(Exception):
    """Ends the command with its one line on stderr and `exit_code`."""

    exit_code = 1


class InputError(CommandError):
    """The user's request is impossible; the line names the input and the remedy."""

    exit_code = 2


class Failure(CommandError):
    """The command ran, but its check, or the program that it started, failed."""

    exit_code = 1
