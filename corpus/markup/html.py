"""HTML of question markup for people.

Nothing here raises for any text. What cannot be drawn or typeset is shown as written, with a small note.
"""

import hashlib
import re
import time
from dataclasses import dataclass, field
from functools import lru_cache

import rdkit
from django.core.cache import BaseCache, InvalidCacheBackendError, caches
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from corpus.markup.controls import make_visible
from corpus.markup.depiction import draw_molecule, svg_element
from corpus.markup.formula import formula_html, to_tex
from corpus.markup.glue import Glued, glued
from corpus.markup.katex import FormulaError, FormulaLimitError, KatexMissingError, katex_version
from corpus.markup.molecules import InvalidReactionError, InvalidSmilesError, TooLargeError
from corpus.markup.reaction_html import reaction_row
from corpus.markup.segments import (
    Broken,
    Chemical,
    Formula,
    Math,
    ReactionSmiles,
    Segment,
    Smiles,
    Text,
    Unit,
    parse,
)
from corpus.markup.unicode_macros import plain_formula

MARKUP_VERSION = "1"
CACHE_ALIAS = "markup"
# Above what any question needs (the published ones have 32 formulas at most); what comes after is shown as written.
FORMULAS_PER_TEXT = 200
SECONDS_PER_TEXT = 3.0
# What hit a limit is tried again later: the machine may only have been busy.
_KEEP_LIMITED_SECONDS = 300

# Control characters never survive into the HTML, so this one can stand for the place until it is known.
_PLACE = "\0"
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_NOT_A_WORD = re.compile(r"[^A-Za-z0-9_-]+")
# In characters of TeX: above these a formula scrolls inside itself, on phones and everywhere.
_LONG_FORMULA = 24
_WIDE_FORMULA = 60
# Wider drawings scroll and can be reached by keyboard; inside a label that would take the click from the option.
_WIDE_DRAWING_EM = 18


def renderer_version() -> str:
    """Return what the look of rendered markup depends on: this code, RDKit and KaTeX."""
    return f"{MARKUP_VERSION}-{rdkit.__version__}-{katex_version()}"


def render_html(source: str, *, place: str = "", inline: bool = False) -> SafeString:
    """Return the HTML of ``source``: paragraphs, typeset formulas, drawn molecules with their SMILES.

    ``place`` makes the ids unique on a page: give each text of a page its own (``stem``, ``option-17``).
    ``inline`` uses only phrasing elements, for use inside ``label``, ``p`` or a table cell.
    """
    cache = _cache()
    key = _cache_key(source, inline=inline)
    html = cache.get(key) if cache else None
    if html is None:
        page = _Page(inline=inline)
        html = page.render(source)
        if cache:
            cache.set(key, html, timeout=page.keep_seconds)
    word = _NOT_A_WORD.sub("-", place) or "m" + key[-8:]
    return mark_safe(html.replace(_PLACE, word))  # noqa: S308 - built from escaped parts only


@dataclass
class _Page:
    """Collects the paragraphs of one text while its segments are rendered."""

    inline: bool
    keep_seconds: int | None = None
    drawings: int = 0
    formulas: int = 0
    started: float = field(default_factory=time.monotonic)
    paragraphs: list[list[str]] = field(default_factory=lambda: [[]])

    def render(self, source: str) -> str:
        for piece in glued(parse(source)):
            if isinstance(piece, Glued):
                self.paragraphs[-1].append(self._glued_formula(piece))
            elif isinstance(piece, Text):
                self._add_text(piece.body)
            else:
                self.paragraphs[-1].append(self._markup(piece))
        filled = ["".join(pieces) for pieces in self.paragraphs if "".join(pieces).strip()]
        if self.inline:
            return f'<span class="markup">{"<br>".join(filled)}</span>'
        return '<div class="markup">' + "".join(map(_paragraph, filled)) + "</div>"

    def _add_text(self, text: str) -> None:
        first, *others = _BLANK_LINES.split(make_visible(text))
        self.paragraphs[-1].append(_lines(first))
        self.paragraphs.extend([_lines(other)] for other in others)

    def _glued_formula(self, piece: Glued) -> str:
        """Keep a formula on one line with the punctuation that touches it."""
        formula = self._formula(piece.formula)
        if not (piece.before or piece.after):
            return formula
        return f'<span class="formula-glue">{escape(piece.before)}{formula}{escape(piece.after)}</span>'

    def _markup(self, segment: Smiles | ReactionSmiles | Broken) -> str:
        match segment:
            case Smiles():
                return self._molecule(segment)
            case ReactionSmiles():
                return self._reaction(segment)
            case Broken():
                return _as_source(segment, segment.reason)

    def _formula(self, segment: Formula) -> str:
        self.formulas += 1
        if limit := self._limit():
            return _as_source(segment, limit)
        try:
            html = formula_html(segment)
        except FormulaError as error:
            if isinstance(error, FormulaLimitError):
                self.keep_seconds = _KEEP_LIMITED_SECONDS
            return _as_source(segment, str(error))
        except KatexMissingError as error:
            self.keep_seconds = 0
            return _as_source(segment, str(error))
        return f'<span class="formula{_width_class(segment)}"{self._formula_role(segment)}>{html}</span>'

    def _limit(self) -> str:
        """Return why no more of this text is typeset or drawn, or ""."""
        if self.formulas > FORMULAS_PER_TEXT or self.drawings >= FORMULAS_PER_TEXT:
            return f"a text has at most {FORMULAS_PER_TEXT} formulas and drawings"
        if time.monotonic() - self.started > SECONDS_PER_TEXT:
            self.keep_seconds = _KEEP_LIMITED_SECONDS
            return "this text takes too long to typeset"
        return ""

    def _formula_role(self, segment: Formula) -> str:
        """Inside a label the formula is named in plain characters: MathML's text alone would read badly there."""
        if self.inline:
            return f' role="math" aria-label="{escape(plain_formula(segment.body))}"'
        if len(to_tex(segment)) > _WIDE_FORMULA:
            return ' role="group" aria-label="wide formula" tabindex="0"'
        return ""

    def _molecule(self, segment: Smiles) -> str:
        smiles = segment.body.strip()
        if limit := self._limit():
            return _as_source(segment, limit, text=smiles)
        try:
            drawing = draw_molecule(smiles)
        except (InvalidSmilesError, TooLargeError) as error:
            return _as_source(segment, str(error), text=smiles)
        except (RuntimeError, ValueError):
            return _as_source(segment, "the molecule cannot be drawn", text=smiles)
        svg = svg_element(drawing, **self._names(smiles))
        return self._figure(svg, smiles, "molecule", wide=drawing.width_in_em > _WIDE_DRAWING_EM)

    def _reaction(self, segment: ReactionSmiles) -> str:
        source = segment.body.strip()
        if limit := self._limit():
            return _as_source(segment, limit, text=source)
        try:
            row = reaction_row(source, lambda smiles, drawing: svg_element(drawing, **self._names(smiles)))
        except (InvalidReactionError, InvalidSmilesError, TooLargeError) as error:
            return _as_source(segment, str(error), text=source)
        except (RuntimeError, ValueError):
            return _as_source(segment, "the reaction cannot be drawn", text=source)
        return self._figure(row, source, "molecule reaction", wide=False)

    def _names(self, smiles: str) -> dict[str, str]:
        """Name a drawing by its SMILES alone: a formula or a count could give an answer away."""
        self.drawings += 1
        return {
            "title": f"Structure {smiles}",
            "description": f"Drawing of the molecule with the SMILES {smiles}",
            "element_id": f"{_PLACE}-{self.drawings}",
        }

    def _figure(self, drawing: str, smiles: str, css_class: str, *, wide: bool) -> str:
        code = f'<code class="smiles">{escape(smiles)}</code>'
        if self.inline:
            return (
                f'<span class="{css_class}" role="figure"><span class="molecule-scroll">{drawing}</span>'
                f'<span class="molecule-caption">{code}</span></span>'
            )
        scrolled = ' role="group" aria-label="wide drawing" tabindex="0"' if wide else ""
        return (
            f'<figure class="{css_class}"><div class="molecule-scroll"{scrolled}>{drawing}</div>'
            f'<figcaption class="molecule-caption">{code}</figcaption></figure>'
        )


def _width_class(segment: Formula) -> str:
    length = len(to_tex(segment))
    if length > _WIDE_FORMULA:
        return " formula-wide"
    return " formula-long" if length > _LONG_FORMULA else ""


def _paragraph(html: str) -> str:
    element = "div" if "<figure" in html else "p"
    return f'<{element} class="markup-paragraph">{html}</{element}>'


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _as_source(segment: Segment, reason: str, *, text: str = "") -> str:
    in_formula = isinstance(segment, Math | Chemical | Unit)
    shown = make_visible(text or segment.source, in_formula=in_formula)
    css_class = "smiles" if isinstance(segment, Smiles | ReactionSmiles) else "markup-source"
    note = f"not drawn: {reason}" if css_class == "smiles" else f"shown as written: {reason}"
    code = f'<code class="{css_class}">{escape(shown)}</code>'
    return f'{code} <small class="markup-note">({escape(note)})</small>'


def _cache() -> BaseCache | None:
    try:
        return caches[CACHE_ALIAS]
    except InvalidCacheBackendError:
        return None


def _cache_key(source: str, *, inline: bool) -> str:
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    return f"markup:{renderer_version()}:{'inline' if inline else 'block'}:{digest}"


@lru_cache(maxsize=1)
def markup_stylesheets() -> tuple[str, ...]:
    """Return the static files a page with markup must link, in order."""
    return ("katex/katex.min.css", "corpus/markup.css")
