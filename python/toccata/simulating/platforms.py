"""Machines to simulate: their structure and the costs of their messages, in one description."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toccata import _core, documents
from toccata.errors import InputError
from toccata.launching import launcher
from toccata.models import predicting
from toccata.topology import networks
from toccata.topology.networks import Network

WHAT = "platform (a model with a machine)"
REMEDY = "the files in platforms/ are examples"
STANDARD_MODEL = "quartz-like"  # of a machine without a model


@dataclass(frozen=True)
class Platform:
    """A machine with its model; `text` is its complete JSON."""

    name: str
    machine: str
    origin: str
    text: str

    @property
    def model(self) -> _core.Model:
        """The model for `predict`."""
        fields = json.loads(self.text)
        for not_of_a_model in ("machine", "hop", "noise", "links"):
            fields.pop(not_of_a_model, None)
        return _core.Model.parse(json.dumps(fields), self.name)

    @property
    def is_noisy(self) -> bool:
        return bool(json.loads(self.text).get("noise"))

    @property
    def links(self) -> str:
        """The links that differ from those of the machine, as in `--links`."""
        return str(json.loads(self.text).get("links", ""))

    def network(self) -> Network:
        """The network, with its changed links. Raises InputError if a link does not exist."""
        return networks.of(self.machine, self.links, self._rates())

    def _rates(self) -> dict[str, float]:
        """By level, the bytes per second that leave an object; "" is the rate of the network."""
        model = self.model
        values = dict(zip(model.term_names, model.coefficients, strict=True))
        rates = {}
        for name, seconds in values.items():
            level, _, term = name.rpartition(".")
            if term == "injection" and seconds > 0:
                rates[level] = 1 / seconds
            if level in ("network.eager", "network.rendezvous") and term == "beta" and seconds > 0:
                rates[""] = max(rates.get("", 0), 1 / seconds)
        return rates

    def with_links(self, links: str) -> "Platform":
        """A copy with these links changed as well, such as "0.0-0.1=0"."""
        both = ", ".join(filter(None, (self.links, links)))
        return _checked(json.loads(self.text) | ({"links": both} if both else {}), self.machine)

    def changed(
        self,
        name: str,
        network: dict[str, float],
        inside: dict[str, float] | None = None,
        noise: float = 0,
    ) -> "Platform":
        """A copy with other parameters (alpha, o, ...) in seconds, for messages between nodes and
        inside them. `noise` is the mean delay of the processor at either end of a message."""
        fields = json.loads(self.text)
        for level in fields["levels"]:
            outside = level["level"] in (fields["levels"][0]["level"], "leaf")
            level["eager"] |= network if outside else inside or {}
        fields |= {"name": name} | ({"noise": noise} if noise else {})
        return _checked(fields, self.machine)

    def on(self, machine: str) -> "Platform":
        """A copy with the same costs on another machine."""
        fields = json.loads(self.text) | {"machine": machine}
        return _checked(fields, machine)


def directory() -> Path:
    """The folder of our platforms: of the installation, or of the checkout."""
    installed = launcher.home() / "platforms"
    there = installed / "yahoo.json"  # a build directory also contains `platforms`
    return installed if there.exists() else Path(__file__).resolve().parents[3] / "platforms"


def names() -> list[str]:
    """The names of our platforms."""
    return sorted(each.stem for each in directory().glob("*.json"))


def find(text: str, model: str | None = None) -> Platform:
    """The platform with that name or file; or that of a machine's text or file, with the costs of
    `model`.

    Raises InputError if it does not exist, ChoiceError if its contents are wrong.
    """
    path = directory() / f"{text}.json"
    if text.endswith(".json"):
        path = Path(text)
    elif not path.exists():
        if ":" not in text and not Path(text).is_file():
            known = ", ".join(names())
            raise InputError(
                f"there is no platform '{text}'; expected one of {known}, a file, or a machine "
                'such as "node:16 core:8"'
            )
        return _of_machine(text, model or STANDARD_MODEL)
    if model is not None:
        raise InputError(
            f'--model {model} applies only to a machine such as "node:16 '
            f'core:8"; {text} has its own model'
        )
    fields = documents.json_of(path, what=WHAT, remedy=REMEDY)
    own = documents.convert(path, fields, _Own, remedy=REMEDY)
    return _checked(fields, own.machine)


def network(text: str, links: str = "") -> Network:
    """The network of a platform's name or file, a machine's text, or a file of switches, with
    changed links. Raises like `find`, and InputError if a link does not exist."""
    if text in names() or Path(text).suffix == ".json":
        made = find(text).network()
        return made.changed(links) if links else made
    return networks.of(text, links)


@dataclass(frozen=True)
class _Own:
    """The fields of a platform that a model does not have; the model checks the others itself."""

    machine: str
    name: str = ""
    origin: str = ""
    hop: float = 0.0  # seconds
    noise: float = 0.0  # seconds
    links: str = ""  # as in --links


def _of_machine(text: str, model: str) -> Platform:
    parameters = predicting.read_model(model)
    fields = {**json.loads(parameters.json), "name": text, "machine": text}
    return _checked(fields, text)


def _checked(fields: dict[str, Any], machine: str) -> Platform:
    text = json.dumps(fields, sort_keys=True)
    name, origin = (str(fields.get(field, "")) for field in ("name", "origin"))
    platform = Platform(name, machine, origin, text)
    _core.Machine(machine)
    assert platform.model is not None
    return platform


def cores(platform: Platform, p: int, placement: str) -> list[int]:
    """The core of each rank. InputError if a rank has none, ChoiceError with too many ranks."""
    machine = _core.Machine(platform.machine)
    innermost = len(machine.levels) - 1
    places = _core.Placement(machine, p, placement).places
    for rank, (level, _) in enumerate(places):
        if level != innermost:
            raise InputError(
                f"--placement {placement} places rank {rank} on a {machine.levels[level]}, but "
                f"not on one {machine.levels[innermost]}; a simulated rank needs one"
            )
    return [core for _, core in places]
