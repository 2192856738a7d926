"""Which property a question asks for. Every word must be known: one that is not may change what is meant."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from evaluations.providers.structure import properties
from evaluations.providers.structure.molecules import MARK

Value = int | float | str | bool


@dataclass(frozen=True, slots=True)
class Property:
    """A property, how a question names it, which further words may stand beside it, decimals of its value."""

    name: str
    named: re.Pattern[str]
    compute: Callable[[Any], Value | None]
    beside: str = ""
    decimals: int = 0


_COUNT = r"(?:how many|(?:the )?(?:total )?number of)"
_COUNT += r"(?: (?:distinct|different|separate|unique|inequivalent|non-equivalent))?"
_SIGNAL = r"(?:signals?|peaks?|lines|resonances)"
_ELEMENTS = {
    "carbon": "C", "hydrogen": "H", "nitrogen": "N", "oxygen": "O", "sulfur": "S", "sulphur": "S", "phosphorus": "P",
    "fluorine": "F", "chlorine": "Cl", "bromine": "Br", "iodine": "I", "boron": "B", "silicon": "Si",
}  # fmt: skip
_NMR = "nmr spectrum spectra decoupled leaving ignoring couplings coupling splitting aside its"
_MASS = (
    "g/mol u da in grams per mole gram at which m/z to one two three four decimals places a high-resolution instrument "
    "mass spectrometer record the ion built from most abundant isotopes"
)

_NAME = re.compile(rf"(?:(?<=\bof )|(?<=\bin )|(?<=\bfor )|(?<=\bdoes ))[\w()'-]+, {MARK},?")
_PUNCTUATION = re.compile(r"[,.;:?!]+(?= |$)")
# Words that say nothing about which number is meant.
_FILLER_WORDS = (
    "a an the this that these its your it there you which what whose how many much "
    "of in on for with by as at to and is are be has have having does do did would should will can "
    "expect expected find found observe observed show shows shown exhibit exhibits present contain contains contained "
    "possess possesses number total value molecule compound structure substance species following given represented "
    "represent using smiles string"
)
_FILLERS = frozenset(_FILLER_WORDS.split())


def _counted(name: str, noun: str, compute: Callable[[Any], Value | None], beside: str = "") -> Property:
    return Property(name, re.compile(rf"{_COUNT} {noun}(?![\w-])"), compute, beside)


def _spoken(name: str, pattern: str, compute: Callable[[Any], Value | None], decimals: int = 0) -> Property:
    return Property(
        name, re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])"), compute, _MASS if decimals else "", decimals
    )


def _signals(name: str, nucleus: str, compute: Callable[[Any], Value | None]) -> tuple[Property, ...]:
    """Return the ways to ask for signals: the nucleus before them ("13C NMR signals") or behind, of its spectrum."""
    before = rf"{nucleus}(?:[ -]nmr)? {_SIGNAL}"
    behind = rf"{_SIGNAL}(?= (?:\S+ ){{0,12}}(?:proton-decoupled )?{nucleus}[ -]nmr)"
    beside = f"{_NMR} 13c proton-decoupled" if name == "carbon signals" else f"{_NMR} 1h proton"
    return _counted(name, before, compute, beside), _counted(name, behind, compute, beside)


PROPERTIES: tuple[Property, ...] = (
    *_signals("proton signals", "(?:1h|proton)", properties.proton_signals),
    *_signals("carbon signals", "(?:13c|carbon-13|carbon)", properties.carbon_signals),
    _counted("stereocentres", "stereo(?:genic )?cent(?:re|er)s?", properties.stereocentres),
    _counted(
        "chiral centres", r"(?:chiral(?:ity)? cent(?:re|er)s?|asymmetric carbon(?: atom)?s?)", properties.chiral_centres
    ),
    _counted("aromatic rings", "aromatic rings?", properties.aromatic_rings),
    _counted("rings", "rings?", properties.rings),
    _counted("heavy atoms", "(?:heavy|non-hydrogen) atoms?", properties.heavy_atoms),
    _counted("heteroatoms", "hetero-?atoms?", properties.heteroatoms),
    _counted("halogens", "halogen(?: atom)?s?", properties.halogens),
    _counted("donors", "(?:hydrogen[ -]bond|h-bond) donors?", properties.donors),
    _counted("acceptors", "(?:hydrogen[ -]bond|h-bond) acceptors?", properties.acceptors),
    _counted("atoms", "atoms?", properties.atoms),
    *(
        _counted(f"{element} atoms", f"{element} atoms?", partial(properties.atoms, symbol=symbol))
        for element, symbol in _ELEMENTS.items()
    ),
    _spoken(
        "unsaturation",
        "degrees? of unsaturation|double[ -]bond equivalents?|index of hydrogen deficiency",
        properties.unsaturation,
    ),
    _spoken("formula", "molecular formula", properties.formula),
    _spoken("molar mass", "molar mass|molecular weight|molecular mass", properties.molar_mass, 3),
    _spoken("exact mass", "(?:exact|monoisotopic)(?: molecular)? mass", properties.exact_mass, 4),
    _spoken("[M+H]+", r"\[m\+h\]\+", properties.protonated_mass, 4),
    _spoken("[M-H]-", r"\[m-h\]-", properties.deprotonated_mass, 4),
    _spoken("[M+Na]+", r"\[m\+na\]\+", properties.sodiated_mass, 4),
)


def asked_property(words: str) -> Property | None:
    """Return the one property that a question asks for, None where its words leave any doubt.

    `words` are small letters without markup, every molecule a `MARK`, punctuation as written.
    """
    for each in PROPERTIES:
        found = each.named.search(words)
        if found and has_only_words(f"{words[: found.start()]} {words[found.end() :]}", each.beside):
            return each
    return None


def has_only_words(rest: str, beside: str) -> bool:
    """Say whether only words are left that change nothing; a name set before the molecule by a comma is one of them."""
    plain = _NAME.sub(MARK, rest, count=1)
    known = _FILLERS | frozenset(beside.split()) | {MARK}
    return all(word in known for word in _PUNCTUATION.sub("", plain).split())
