"""Molecules in the text of a prompt: which words are SMILES, and what RDKit makes of them."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from corpus.markup.molecules import InvalidSmilesError, TooLargeError, read_molecule

# What stands for a molecule in the words of a question.
MARK = "§"
_TAGGED = re.compile(r"\[START_SMILES\](.*?)\[END_SMILES\]", re.DOTALL)
_REACTION = re.compile(r"\[START_RXNSMILES\].*?\[END_RXNSMILES\]", re.DOTALL)
_WORD = re.compile(r"\S+")
_EDGES = ",;:?!.\"'"
# A word of prose may happen to be a SMILES ("CO", "I"): it is one only with a bond, ring or bracket, or three atoms.
_IS_STRUCTURE = re.compile(r"[=#()\[\]@/\\]|[A-Za-z]\d|(?:[BCNOPSFI]|Cl|Br|[cnos]){3}")
_ANNOUNCED = re.compile(r"(?i)\bSMILES:?\s*$")


@dataclass(frozen=True, slots=True)
class Marked:
    """A text in which every molecule is `MARK`, and the SMILES that stood there, in order."""

    text: str
    smiles: tuple[str, ...]


@lru_cache(maxsize=1024)
def molecule_of(smiles: str) -> Any | None:
    """Return the RDKit molecule, or None where the text is no SMILES of a molecule of ordinary size."""
    try:
        return read_molecule(smiles)
    except (InvalidSmilesError, TooLargeError):
        return None


def mark_molecules(text: str) -> Marked:
    """Find the molecules of a text, between tags or, where a prompt style drops those, as words of their own."""
    text = _REACTION.sub(f"{MARK}reaction", text)
    if tagged := _TAGGED.findall(text):
        return Marked(_TAGGED.sub(MARK, text), tuple(smiles.strip() for smiles in tagged))
    found: list[str] = []
    pieces, end = [], 0
    for word in _WORD.finditer(text):
        smiles = word[0].strip(_EDGES)
        if smiles and _is_smiles(smiles, announced=bool(_ANNOUNCED.search(text, 0, word.start()))):
            start = word.start() + word[0].index(smiles)
            pieces += [text[end:start], MARK]
            end = start + len(smiles)
            found.append(smiles)
    return Marked("".join([*pieces, text[end:]]), tuple(found))


def smiles_of_option(text: str) -> str:
    """Return the SMILES that an option is as a whole, "" where it is something else."""
    whole = "".join(_TAGGED.findall(text)) or text.strip()
    return whole.strip() if molecule_of(whole.strip()) is not None else ""


def _is_smiles(word: str, *, announced: bool) -> bool:
    return bool(announced or _IS_STRUCTURE.search(word)) and molecule_of(word) is not None
