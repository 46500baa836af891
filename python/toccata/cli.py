"""The program `toccata`: its commands, and its error messages."""

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer._completion_classes import completion_init
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

from toccata.commands import COMMANDS, GROUPS
from toccata.errors import CommandError


class PlainHelp:
    """Help that shows the words to type, not Python's types."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        assert isinstance(self, TyperCommand | TyperGroup)
        _show_what_to_type(self, ctx)
        super().format_help(ctx, formatter)  # type: ignore[misc]


class OneLineErrors(PlainHelp, TyperGroup):
    """Prints any error as one line on stderr, and exits with 1 or 2."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands: Any = Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Finds a command whose name may have two words, such as "bench links"."""
        two = " ".join(args[:2])
        return super().resolve_command(ctx, [two, *args[2:]] if two in COMMANDS else args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
            sys.stdout.flush()  # an error at exit would have no handler
        except CommandError as error:
            _complain(str(error), error.exit_code)
        except TyperException as error:
            # Typer's messages from pydantic begin with "Value error, ", which does not help users.
            message = error.format_message().replace("Value error, ", "")
            _complain(f"{message}  (see {_help_of(error)})", 2)
        except _choice_error() as error:
            _complain(str(error), 2)
        except BrokenPipeError:  # the reader of our output has closed it
            _end_output()
            sys.exit(1)
        except ModuleNotFoundError as error:
            if error.name not in ("matplotlib", "scipy", "numpy"):
                raise
            _complain(
                f"this needs {error.name}, which is not installed; install it for "
                f"{sys.executable}, or install Toccata with `make install PLOTS=ON`", 2,
            )  # fmt: skip
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _complain(f"{where}{error.strerror or error}", 2)
        except typer.Abort:
            _end_output()
            sys.exit(130)
        sys.exit(code if isinstance(code, int) else 0)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        del ctx
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    (name.ljust(width), entry.summary) for name, entry in commands.items()
                )


def _choice_error() -> type[Exception]:
    from toccata import _core  # imported here, because help does not need it

    return _core.ChoiceError


def _end_output() -> None:
    """Writes the rest of stdout, or discards it if that is impossible: otherwise, Python would try
    again at exit, and fail."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str, code: int) -> None:
    _end_output()
    print(f"toccata: {message}", file=sys.stderr)
    sys.exit(code)


def _help_of(error: TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path if context else 'toccata'} --help"


class Command(PlainHelp, TyperCommand):
    """Errors name their option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise


class RunCommand(Command):
    """A command whose option --report has an optional value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from toccata.commands.run import with_report

        return super().parse_args(ctx, with_report(args))


class Commands(Mapping[str, Any]):
    """The commands by name. Each is imported when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        return _load(name)

    def __contains__(self, name: object) -> bool:
        return name in COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@cache
def _load(name: str) -> Any:
    entry = COMMANDS[name]
    function = getattr(import_module(f"toccata.commands.{entry.module}"), entry.function)
    alone = typer.Typer(
        add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False
    )
    settings = {} if entry.interspersed else {"allow_interspersed_args": False}
    kind = RunCommand if name == "run" else Command
    alone.command(name, cls=kind, context_settings=settings)(function)
    return typer.main.get_command(alone)


def _show_what_to_type(command: TyperCommand | TyperGroup, ctx: Any) -> None:
    """Omits "<bool>" for flags and "<str>" for arguments, but shows the words of a choice."""
    for each in command.get_params(ctx):
        assert isinstance(each, TyperArgument | TyperOption)
        shown = each.display_type_rich(ctx) or ""
        words = shown.strip("<>") if "|" in shown and not isinstance(each, TyperArgument) else ""
        if shown.startswith("<"):
            each.display_type_rich = partial(_shown, words)  # type: ignore[method-assign]


def _shown(words: str, ctx: Any) -> str:
    return words


app = typer.Typer(
    cls=OneLineErrors,
    rich_markup_mode=None,  # the import of typer's formatter would take most of the time
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from toccata import _core

        stamp = Path(str(_core.__file__)).with_name("commit.txt")
        commit = stamp.read_text().strip() if stamp.exists() else ""
        print(f"toccata {_core.VERSION}" + (f" ({commit})" if commit else ""))
        raise typer.Exit


@app.callback()
def toccata(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print version and commit."
        ),
    ] = False,
) -> None:
    """Topology-aware MPI collectives: prove, count, draw, measure and use their algorithms.

    Name algorithms as in `allgather/sparbit`, or `sparbit` if only one collective has it,
    with parameters as in `sparbit:messages=per_block`. `toccata list` shows all of
    them.
    """


def main() -> None:
    """The program."""
    # The locale of the terminal, or the bytes of a file name, may not be UTF-8.
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed
            stream = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
            setattr(sys, name, stream)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    completion_init()  # for the scripts that manual/handouts.py writes
    app(sys.argv[1:] or ["--help"], prog_name="toccata")
