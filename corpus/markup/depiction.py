"""Draws a molecule as SVG: one bond length everywhere, the colour of the text around it, no background."""

import re
from dataclasses import dataclass
from html import escape
from typing import Any

from rdkit.Chem import rdDepictor
from rdkit.Chem.Draw import rdMolDraw2D
from rdkit.Geometry import Point2D

from corpus.markup.molecules import read_molecule

BOND_LENGTH_EM = 1.44
_UNITS_PER_EM = 18
_FONT_SIZE = 14
_LINE_WIDTH = 1.4
_MARGIN = 3
# RDKit lays bonds out 1.5 wide.
_UNITS_PER_LAYOUT_UNIT = BOND_LENGTH_EM * _UNITS_PER_EM / 1.5

_VIEW_BOX = re.compile(r"viewBox='0 0 ([\d.]+) ([\d.]+)'")
_ELEMENT = re.compile(r"<(path|ellipse|rect|polygon|circle)\s([^>]*?)/?>", re.DOTALL)
_ATTRIBUTE = re.compile(r"([\w:-]+)='([^']*)'", re.DOTALL)
_GEOMETRY = ("d", "points", "x", "y", "width", "height", "cx", "cy", "rx", "ry", "r")
_DEFAULTS = {"fill": "none", "stroke": "none", "stroke-width": str(_LINE_WIDTH)}


@dataclass(frozen=True, slots=True)
class Drawing:
    """The inside of an SVG element, its size in its own units, and how many ems one unit is."""

    body: str
    width: float
    height: float
    em_per_unit: float

    @property
    def width_in_em(self) -> float:
        return round(self.width * self.em_per_unit, 3)

    @property
    def height_in_em(self) -> float:
        return round(self.height * self.em_per_unit, 3)


def draw_molecule(smiles: str) -> Drawing:
    """Return the drawing of ``smiles``; raises the errors of :func:`read_molecule`."""
    molecule = read_molecule(smiles)
    rdDepictor.Compute2DCoords(molecule)
    drawer = rdMolDraw2D.MolDraw2DSVG(-1, -1)
    options: Any = drawer.drawOptions()
    options.scalingFactor = _UNITS_PER_LAYOUT_UNIT
    options.fixedFontSize = _FONT_SIZE
    options.bondLineWidth = _LINE_WIDTH
    options.padding = 0
    options.clearBackground = False
    options.useBWAtomPalette()
    options.prepareMolsBeforeDrawing = False
    drawer.DrawMolecule(rdMolDraw2D.PrepareMolForDrawing(molecule))
    drawer.FinishDrawing()
    return _cleaned(drawer.GetDrawingText(), em_per_unit=_em_per_unit(drawer))


def _em_per_unit(drawer: Any) -> float:
    """RDKit fits each drawing to whole pixels, which moves its bond length by some percent: undo that."""
    origin, one = drawer.GetDrawCoords(Point2D(0, 0)), drawer.GetDrawCoords(Point2D(1, 0))
    drawn = abs(one.x - origin.x)
    fitted = _UNITS_PER_LAYOUT_UNIT / drawn if drawn else 1.0
    return fitted / _UNITS_PER_EM


def svg_element(drawing: Drawing, *, title: str, description: str, element_id: str) -> str:
    """Return an ``<svg>`` with an accessible name; ``element_id`` is a plain word, unique on the page."""
    box = f"{-_MARGIN} {-_MARGIN} {drawing.width:g} {drawing.height:g}"
    return (
        f'<svg class="molecule-drawing" xmlns="http://www.w3.org/2000/svg" viewBox="{box}"'
        f' width="{drawing.width_in_em:g}em" height="{drawing.height_in_em:g}em" role="img"'
        f' aria-labelledby="{element_id}-title" aria-describedby="{element_id}-desc">'
        f'<title id="{element_id}-title">{escape(title)}</title>'
        f'<desc id="{element_id}-desc">{escape(description)}</desc>'
        f"{drawing.body}</svg>"
    )


def _cleaned(svg: str, *, em_per_unit: float) -> Drawing:
    """Keep the geometry of RDKit's SVG and paint it in the colour of the text, without styles or classes."""
    view_box = _VIEW_BOX.search(svg)
    width, height = (float(view_box.group(1)), float(view_box.group(2))) if view_box else (0.0, 0.0)
    shapes = "".join(_shape(match.group(1), match.group(2)) for match in _ELEMENT.finditer(svg))
    body = f'<g fill="none" stroke="none" stroke-width="{_LINE_WIDTH}">{shapes}</g>'
    return Drawing(body, width + 2 * _MARGIN, height + 2 * _MARGIN, em_per_unit)


def _shape(name: str, attribute_text: str) -> str:
    attributes = dict(_ATTRIBUTE.findall(attribute_text))
    style = dict(part.split(":", 1) for part in attributes.pop("style", "").split(";") if ":" in part)
    kept = [(key, " ".join(attributes[key].split())) for key in _GEOMETRY if key in attributes]
    for key, default in _DEFAULTS.items():
        value = _paint((attributes | style).get(key, default))
        if value != default:
            kept.append((key, value))
    return f"<{name} " + " ".join(f'{key}="{value}"' for key, value in kept) + "/>"


def _paint(value: str) -> str:
    if value.startswith("#"):
        return "currentColor"
    return value.removesuffix("px")
