"""Answer a question from the words and molecules of its prompt, or not at all."""

import re
from dataclasses import dataclass

from corpus.scoring.types import Asked, Kind
from evaluations.providers.structure.molecules import MARK, Marked, mark_molecules, molecule_of, smiles_of_option
from evaluations.providers.structure.options import (
    NUMBER_WORDS,
    are_molecules,
    options_that_are,
    options_with_value,
)
from evaluations.providers.structure.properties import formula, is_aromatic, stereo_labels
from evaluations.providers.structure.wordings import Property, Value, asked_property, has_only_words

_HEAD = re.compile(r"\A.*?^(?:Question:|## Question$)\s*", re.DOTALL | re.MULTILINE)
_TAIL = re.compile(
    r"^(?:Options:|## What to do$|Answer (?:with|in) [^\n]*\nAnswer:\s*\Z).*\Z", re.DOTALL | re.MULTILINE
)
_MACRO = re.compile(r"\\(?:ce|pu|mathrm|text)\b|[\\${}^_]")
_FORMULA = re.compile(r"(?<![\w[])(?=[A-Za-z]*\d)(?:[A-Z][a-z]?\d*){2,}(?![\w\]])")
_SOME_NUMBER = re.compile(rf"(?<![\w.])(\d+|{'|'.join(NUMBER_WORDS)})(?= )")
_ISOMER_WORDS = "isomer isomers hydrocarbon hydrocarbons compounds molecules structures only exactly gives give"
_ABOUT_ISOMERS = frozenset(_ISOMER_WORDS.split())
_AROMATIC = re.compile(r"\Awhich (?:of these|one)?\b(.*?)\b(?:is|are) aromatic\b(.*)")
_AROMATIC_WORDS = (
    "rings ring compounds molecules structures species one these 4n + 2 2e electrons cyclic planar pi system huckel"
)
_NAMED = re.compile(
    r"\A(?:Which (?:structure|molecule|compound|SMILES|of these) (?:is|shows|represents)"
    r"|What is a valid SMILES for a molecule with the name)\s+(?P<name>\S.*?)\s*\?\Z"
)
_NAME_WANTED = re.compile(rf"\AWhat is a valid name for a molecule with the SMILES {MARK}\s*\?\Z")
_DESCRIPTORS = re.compile(r"(?<![A-Za-z0-9])[(\[]((?:\d*[a-z]?'*[RSrsEZ],?\s?)+)[)\]](?=-)")
_RELATIVE = re.compile(r"(?i)\brac\b|\brel\b|\*|\bcis\b|\btrans\b|\bendo\b|\bexo\b|\(\+|\(-\)|\b[dl]-")


@dataclass(frozen=True, slots=True)
class Computed:
    """An answer as text for the reader (a number, letters, a formula) and how it came about, for a person."""

    text: str
    how: str


def has_structure(prompt: str, asked: Asked) -> bool:
    """Say whether a question shows a molecule as SMILES, in its text or as an option: what this baseline is about."""
    return bool(mark_molecules(question_text(prompt)).smiles) or any(
        smiles_of_option(each.text) for each in asked.shown
    )


def compute(prompt: str, asked: Asked) -> Computed | None:
    """Return the answer, None where it does not follow from the structures by computing.

    Nothing is read but the prompt and, of `asked`, kind, letters and texts of the options, which the prompt holds too.
    """
    marked = mark_molecules(question_text(prompt))
    if len(marked.smiles) == 1:
        return _value_of_molecule(marked, asked) or _name_of_molecule(marked, asked)
    if asked.kind is Kind.CHOICE and not marked.smiles and are_molecules(asked.shown):
        return _counted_molecule(marked.text, asked) or _aromatic(marked.text, asked) or _named(marked.text, asked)
    return None


def question_text(prompt: str) -> str:
    """Return the question without instructions and options, where the prompt marks them by headings."""
    return " ".join(_TAIL.sub("", _HEAD.sub("", prompt)).split())


def _words(text: str) -> str:
    """Return small letters without markup, as `asked_property` takes them."""
    return " ".join(_MACRO.sub("", text).lower().split())


def _value_of_molecule(marked: Marked, asked: Asked) -> Computed | None:
    wanted = asked_property(_words(marked.text))
    value = wanted.compute(molecule_of(marked.smiles[0])) if wanted else None
    if wanted is None or value is None:
        return None
    how = f"{wanted.name} of {marked.smiles[0]}: {_written(wanted, value)}"
    if asked.kind is Kind.CHOICE:
        return _one(options_with_value(asked.shown, value), how)
    is_text = isinstance(value, str)
    return Computed(_written(wanted, value), how) if is_text is (asked.kind is Kind.TEXT) else None


def _written(wanted: Property, value: Value) -> str:
    return f"{value:.{wanted.decimals}f}" if isinstance(value, float) else str(value)


def _counted_molecule(text: str, asked: Asked) -> Computed | None:
    """Answer "which isomer gives three lines": the number stands in the question, the molecules are the options."""
    formulas = _FORMULA.findall(_MACRO.sub("", text))
    words = _words(_FORMULA.sub("", _MACRO.sub("", text)))
    numbers = _SOME_NUMBER.findall(words)
    if len(numbers) != 1 or len(formulas) > 1:
        return None
    words = _SOME_NUMBER.sub("how many", words)
    wanted = asked_property(" ".join(word for word in words.split() if word.strip("?.,") not in _ABOUT_ISOMERS))
    if wanted is None:
        return None
    number = NUMBER_WORDS.get(numbers[0]) if not numbers[0].isdecimal() else int(numbers[0])
    letters = options_that_are(
        asked.shown, lambda each: wanted.compute(each) == number and (not formulas or formula(each) == formulas[0])
    )
    return _one(letters, f"{wanted.name} = {number}")


def _aromatic(text: str, asked: Asked) -> Computed | None:
    """Answer which options are aromatic: one where one is asked for, else all that are."""
    words = _words(text)
    found = _AROMATIC.match(words)
    if not found or not has_only_words(f"{found[1]} {found[2]}", _AROMATIC_WORDS):
        return None
    letters = options_that_are(asked.shown, is_aromatic)
    how = "aromatic as RDKit perceives it"
    return Computed(", ".join(letters), how) if letters and " are aromatic" in words else _one(letters, how)


def _named(text: str, asked: Asked) -> Computed | None:
    """Answer which structure has a name that states R, S, E or Z, where only one option's structure has just these.

    The rest of the name is not read: the other options may well be other compounds, but have other descriptors.
    """
    found = _NAMED.match(text)
    wanted = _labels_in_name(found["name"]) if found else ()
    if not wanted:
        return None
    letters = options_that_are(asked.shown, lambda each: stereo_labels(each) == wanted)
    return _one(letters, f"stereo descriptors {', '.join(wanted)}")


def _name_of_molecule(marked: Marked, asked: Asked) -> Computed | None:
    """Answer which name belongs to a structure, where only one name states just its R, S, E and Z."""
    if asked.kind is not Kind.CHOICE or not _NAME_WANTED.match(marked.text):
        return None
    wanted = stereo_labels(molecule_of(marked.smiles[0]))
    letters = [option.letter for option in asked.shown if _labels_in_name(option.text) == wanted]
    return _one(letters, f"stereo descriptors {', '.join(wanted)}") if wanted else None


def _labels_in_name(name: str) -> tuple[str, ...]:
    """Return the descriptors in a name, sorted; none where it uses others (cis, rac, D, ...)."""
    if _RELATIVE.search(name):
        return ()
    return tuple(sorted(letter for group in _DESCRIPTORS.findall(name) for letter in re.findall("[RSrsEZ]", group)))


def _one(letters: list[str], how: str) -> Computed | None:
    """Return the answer where exactly one option fits."""
    return Computed(letters[0], how) if len(letters) == 1 else None
