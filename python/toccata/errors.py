"""How a command ends when it cannot do what it was asked: one line, and an exit code."""


class CommandError(Exception):
    """Ends the command with its one line on stderr and `exit_code`."""

    exit_code = 1


class InputError(CommandError):
    """What the user asked for cannot be; the line names the input and the remedy."""

    exit_code = 2


class Failure(CommandError):
    """The command ran, and what it found or started failed."""

    exit_code = 1
