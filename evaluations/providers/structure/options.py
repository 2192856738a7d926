"""Which options of a choice equal what was computed."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from corpus.scoring.types import ShownOption
from evaluations.providers.structure.molecules import molecule_of, smiles_of_option
from evaluations.providers.structure.wordings import Value

_WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
NUMBER_WORDS = {word: number for number, word in enumerate(_WORDS.split())}
_NUMBER = re.compile(r"(-?\d+(?:\.(\d+))?)(?:\s*(?:g/mol|g mol-1|g\\?\s?mol\^?\{?-1\}?|u|Da|amu))?\Z")
_MARKUP = re.compile(r"\\(?:ce|pu|mathrm|text)\b|[\\$\s_{}^]")
_RELATIVE_ERROR = 1e-4


def options_with_value(shown: Iterable[ShownOption], value: Value) -> list[str]:
    """Return the letters of the options that state `value`; a rounded number equals what it was rounded from."""
    return [option.letter for option in shown if _states(option.text, value)]


def options_that_are(shown: Iterable[ShownOption], is_meant: Callable[[Any], bool]) -> list[str]:
    """Return the letters of the options, each a SMILES, whose molecule is meant."""
    return [option.letter for option in shown if is_meant(molecule_of(smiles_of_option(option.text)))]


def are_molecules(shown: Iterable[ShownOption]) -> bool:
    """Say whether there are options and every one is a SMILES."""
    texts = [option.text for option in shown]
    return bool(texts) and all(map(smiles_of_option, texts))


def _states(text: str, value: Value) -> bool:
    if isinstance(value, str):
        return _MARKUP.sub("", text) == value
    plain = text.strip().strip("$").strip()
    plain = re.sub(r"\A\\pu\{(.*)\}\Z", r"\1", plain)
    found = _NUMBER.match(plain)
    if not found:
        return NUMBER_WORDS.get(plain.lower()) == value
    error = abs(float(found[1]) - value)
    if isinstance(value, int):
        return bool(error == 0)
    return bool(error <= max(0.5 * 10 ** -len(found[2] or ""), _RELATIVE_ERROR * abs(value)))
