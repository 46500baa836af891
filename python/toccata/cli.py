"""The program: its commands, and how it says what was wrong."""

import os
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer._completion_classes import completion_init
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

from toccata import _core
from toccata.commands.bench import bench
from toccata.commands.bounds import bounds_
from toccata.commands.calibrate import calibrate
from toccata.commands.demo import demo_
from toccata.commands.doctor import doctor
from toccata.commands.explain import explain
from toccata.commands.export import export
from toccata.commands.fit import fit_
from toccata.commands.list import list_
from toccata.commands.new import new
from toccata.commands.predict import predict
from toccata.commands.prove import prove
from toccata.commands.reorder import reorder
from toccata.commands.reproduce import reproduce
from toccata.commands.run import run, with_report
from toccata.commands.search import search
from toccata.commands.show import show_
from toccata.commands.sim import sim
from toccata.commands.topo import topo
from toccata.commands.traffic import traffic
from toccata.commands.tune import tune
from toccata.commands.verify import verify
from toccata.errors import CommandError


class OneLineErrors(TyperGroup):
    """Says in one line on stderr what was wrong, whatever it was, and exits with 1 or 2."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except CommandError as error:
            _complain(str(error), error.exit_code)
        except TyperException as error:
            # What typer has from pydantic begins with a word for programmers.
            message = error.format_message().replace("Value error, ", "")
            _complain(f"{message}  (see {_help_of(error)})", 2)
        except _core.ChoiceError as error:
            _complain(str(error), 2)
        except BrokenPipeError:  # the reader of our output has closed it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except ModuleNotFoundError as error:
            if error.name not in ("matplotlib", "scipy", "numpy"):
                raise
            _complain(
                f"this needs {error.name}, which this installation does without; install it for "
                f"{sys.executable}, or Toccata by `make install PLOTS=ON`", 2,
            )  # fmt: skip
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _complain(f"{where}{error.strerror or error}", 2)
        except typer.Abort:
            sys.exit(130)
        sys.exit(code if isinstance(code, int) else 0)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _show_what_to_type(self, ctx)
        super().format_help(ctx, formatter)


def _complain(message: str, code: int) -> None:
    print(f"toccata: {message}", file=sys.stderr)
    sys.exit(code)


def _help_of(error: TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path if context else 'toccata'} --help"


class Command(TyperCommand):
    """Help that shows what to type, not Python's types; mistakes know whose they are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _show_what_to_type(self, ctx)
        super().format_help(ctx, formatter)


class RunCommand(Command):
    """Its --report may have a value, or none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_report(args))


def _show_what_to_type(command: TyperCommand | TyperGroup, ctx: Any) -> None:
    """Not "<bool>" of a flag, nor "<str>" beside an argument's own name; but a choice's words."""
    for each in command.get_params(ctx):
        assert isinstance(each, TyperArgument | TyperOption)
        shown = each.display_type_rich(ctx) or ""
        words = shown.strip("<>") if "|" in shown and not isinstance(each, TyperArgument) else ""
        if shown.startswith("<"):
            each.display_type_rich = partial(_shown, words)  # type: ignore[method-assign]


def _shown(words: str, ctx: Any) -> str:
    return words


class App(typer.Typer):
    def command(self, name: str | None = None, **more: Any) -> Any:
        return super().command(name, **{"cls": Command, **more})


app = App(
    cls=OneLineErrors,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        stamp = Path(str(_core.__file__)).with_name("commit.txt")
        commit = stamp.read_text().strip() if stamp.exists() else ""
        print(f"toccata {_core.__version__}" + (f" ({commit})" if commit else ""))
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

    Name algorithms as in `allgather/sparbit`, or `sparbit` if this is unambiguous,
    with parameters as in `sparbit:messages=per_block`. `toccata list` shows all of
    them.
    """


app.command("list")(list_)
app.command("show")(show_)
app.command("verify")(verify)
app.command("new")(new)
app.command("prove")(prove)
app.command("search")(search)
app.command("traffic")(traffic)
app.command("topo")(topo)
app.command("bounds")(bounds_)
app.command("predict")(predict)
app.command("reorder")(reorder)
app.command("calibrate")(calibrate)
app.command("bench")(bench)
app.command("tune")(tune)
app.command("demo")(demo_)
app.command("explain")(explain)
app.command("export")(export)
app.command("sim")(sim)
app.command("reproduce")(reproduce)
app.command("fit")(fit_)
app.command("run", cls=RunCommand, context_settings={"allow_interspersed_args": False})(run)
app.command("doctor", context_settings={"allow_interspersed_args": False})(doctor)


def main() -> None:
    """The program."""
    completion_init()  # for the scripts that manual/handouts.py writes
    app(prog_name="toccata")
