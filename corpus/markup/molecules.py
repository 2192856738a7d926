"""Reads SMILES with RDKit: molecules, reactions, facts about them, and messages for what is wrong."""

import logging
import re
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rdkit import Chem, rdBase
from rdkit.Chem import GraphDescriptors

from corpus.markup.segments import ReactionSmiles, Smiles, parse

MAX_SMILES_LENGTH = 3_000
MAX_ATOMS = 300

# A wrong valence of these elements is an author's slip; of others it is bridging or hypervalent chemistry.
_STRICT_ELEMENTS = frozenset({"C", "N", "O"})

_FOR_INPUT = re.compile(r" (?:for input|while parsing): .*$")


class InvalidSmilesError(ValueError):
    """The text is not a molecule; the message says why in one line."""


class InvalidReactionError(ValueError):
    """The text is not a reaction; the message names the part that is wrong."""


class TooLargeError(ValueError):
    """The molecule may be right but is above the limits for drawing."""


@dataclass(frozen=True, slots=True)
class MoleculeFacts:
    """Descriptors of one molecule: heavy atoms, rings (smallest set), Bertz complexity."""

    smiles: str
    heavy_atoms: int
    rings: int
    bertz: float


@dataclass(frozen=True, slots=True)
class Reaction:
    """The parts of a reaction SMILES, each a tuple of molecule SMILES; a side may be empty."""

    reactants: tuple[str, ...]
    agents: tuple[str, ...]
    products: tuple[str, ...]

    @property
    def components(self) -> tuple[str, ...]:
        return self.reactants + self.agents + self.products


class _Messages(logging.Handler):
    """Keeps RDKit's messages per thread, so that the reason of a failed parse can be told."""

    def __init__(self) -> None:
        super().__init__()
        self._local = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        self._local.lines = [*getattr(self._local, "lines", [])[-20:], record.getMessage()]

    def take(self) -> list[str]:
        lines: list[str] = getattr(self._local, "lines", [])
        self._local.lines = []
        return lines


@lru_cache(maxsize=1)
def _messages() -> _Messages:
    rdBase.LogToPythonLogger()
    logger = logging.getLogger("rdkit")
    handler = _Messages()
    logger.handlers = [handler]
    logger.propagate = False
    return handler


def read_molecule(smiles: str) -> Any:
    """Return the RDKit molecule of ``smiles``.

    Bridging and hypervalent species (``F[H][F-]``, ``Br[Br-]Br``) are accepted without valence check. Raises
    :class:`InvalidSmilesError` or :class:`TooLargeError`.
    """
    text = smiles.strip()
    if not text:
        raise InvalidSmilesError("the SMILES is empty")
    if len(text) > MAX_SMILES_LENGTH:
        raise TooLargeError(f"the SMILES is longer than {MAX_SMILES_LENGTH} characters")
    if any(character.isspace() or not character.isprintable() for character in text):
        raise InvalidSmilesError("the SMILES contains a space or an invisible character")
    molecule = _parsed(text)
    if molecule.GetNumAtoms() == 0:
        raise InvalidSmilesError("the SMILES has no atoms")
    if molecule.GetNumAtoms() > MAX_ATOMS:
        raise TooLargeError(f"the molecule has more than {MAX_ATOMS} atoms")
    return molecule


def smiles_problem(smiles: str) -> str | None:
    """Return why ``smiles`` is not a molecule, or None; being too large is no problem of the SMILES."""
    try:
        read_molecule(smiles)
    except InvalidSmilesError as error:
        return str(error)
    except TooLargeError:
        return None
    return None


def read_reaction(source: str) -> Reaction:
    """Return the parts of ``reactants>agents>products``; raises :class:`InvalidReactionError`.

    Each dot-separated molecule must be readable. Sides may be empty, but not all of them.
    """
    parts = source.strip().replace("->", "\0").split(">")
    if len(parts) != 3:
        raise InvalidReactionError("a reaction is written reactants>agents>products, with two > signs")
    sides = [tuple(piece.replace("\0", "->") for piece in part.split(".") if piece.strip()) for part in parts]
    reaction = Reaction(*sides)
    if not reaction.components:
        raise InvalidReactionError("the reaction has no molecules")
    for smiles in reaction.components:
        problem = smiles_problem(smiles)
        if problem:
            raise InvalidReactionError(f"{smiles}: {problem}")
    return reaction


def reaction_problem(source: str) -> str | None:
    """Return why ``source`` is not a reaction, or None."""
    try:
        read_reaction(source)
    except InvalidReactionError as error:
        return str(error)
    return None


def describe_molecules(source: str) -> tuple[MoleculeFacts, ...]:
    """Return facts of every readable molecule in the markup, parts of reactions included, in order."""
    return tuple(fact for smiles in _molecules_in(source) if (fact := _facts(smiles)) is not None)


def _molecules_in(source: str) -> list[str]:
    found: list[str] = []
    for segment in parse(source):
        if isinstance(segment, Smiles):
            found.append(segment.body.strip())
        elif isinstance(segment, ReactionSmiles) and reaction_problem(segment.body) is None:
            found.extend(read_reaction(segment.body).components)
    return found


def _facts(smiles: str) -> MoleculeFacts | None:
    try:
        molecule = read_molecule(smiles)
    except (InvalidSmilesError, TooLargeError):
        return None
    return MoleculeFacts(
        smiles=smiles,
        heavy_atoms=molecule.GetNumHeavyAtoms(),
        rings=molecule.GetRingInfo().NumRings(),
        bertz=round(float(GraphDescriptors.BertzCT(molecule)), 2),
    )


def _parsed(text: str) -> Any:
    messages = _messages()
    messages.take()
    molecule = Chem.MolFromSmiles(text)
    if molecule is None:
        molecule = _leniently_parsed(text)
    lines = messages.take()
    if molecule is None:
        raise InvalidSmilesError(_reason(lines))
    return molecule


def _leniently_parsed(text: str) -> Any:
    """Return a molecule whose only faults are valences of unusual elements, else None."""
    molecule = Chem.MolFromSmiles(text, sanitize=False)
    if molecule is None:
        return None
    molecule.UpdatePropertyCache(strict=False)
    problems = Chem.DetectChemistryProblems(molecule)
    if not all(_is_unusual_valence(molecule, problem) for problem in problems):
        return None
    operations = Chem.SanitizeFlags.SANITIZE_ALL ^ Chem.SanitizeFlags.SANITIZE_PROPERTIES
    failed = Chem.SanitizeMol(molecule, operations, catchErrors=True)
    return molecule if failed == Chem.SanitizeFlags.SANITIZE_NONE else None


def _is_unusual_valence(molecule: Any, problem: Any) -> bool:
    if problem.GetType() != "AtomValenceException":
        return False
    return molecule.GetAtomWithIdx(problem.GetAtomIdx()).GetSymbol() not in _STRICT_ELEMENTS


def _reason(lines: list[str]) -> str:
    """Return RDKit's first telling line, without its time stamp, prefix and caret drawing."""
    for line in "\n".join(lines).splitlines():
        text = line.split("] ", 1)[-1].strip()
        for prefix in ("SMILES Parse Error: ", "Explicit valence", "Can't kekulize"):
            if text.startswith(prefix):
                return _FOR_INPUT.sub("", text.removeprefix("SMILES Parse Error: "))
    return "RDKit cannot read it"
