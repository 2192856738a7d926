"""A reaction as a row of drawings: reactants, an arrow with the agents over it, products."""

from collections.abc import Callable

from corpus.markup.depiction import Drawing, draw_molecule
from corpus.markup.molecules import read_reaction

_SHORTEST_ARROW_EM = 4.0
_AGENT_GAP_EM = 0.6

SvgMaker = Callable[[str, Drawing], str]


def reaction_row(source: str, make_svg: SvgMaker) -> str:
    """Return the HTML row of a reaction; raises the errors of reading and drawing its molecules.

    Each molecule is its own drawing, so that the row can wrap and bonds have one length everywhere. An empty
    side is said in words.
    """
    reaction = read_reaction(source)
    return (
        '<span class="reaction-row">'
        f"{_side(reaction.reactants, make_svg, 'no reactant given')}"
        f"{_arrow(reaction.agents, make_svg)}"
        f"{_side(reaction.products, make_svg, 'no product given')}"
        "</span>"
    )


def _side(molecules: tuple[str, ...], make_svg: SvgMaker, empty: str) -> str:
    if not molecules:
        return f'<small class="markup-note reaction-empty">({empty})</small>'
    plus = '<span class="reaction-plus">+</span>'
    return plus.join(make_svg(smiles, draw_molecule(smiles)) for smiles in molecules)


def _arrow(agents: tuple[str, ...], make_svg: SvgMaker) -> str:
    drawings = [(smiles, draw_molecule(smiles)) for smiles in agents]
    needed = sum(drawing.width_in_em + _AGENT_GAP_EM for _smiles, drawing in drawings)
    above = "".join(make_svg(smiles, drawing) for smiles, drawing in drawings)
    over = f'<span class="reaction-agents">{above}</span>' if above else ""
    return f'<span class="reaction-step">{over}{_arrow_svg(max(_SHORTEST_ARROW_EM, needed))}</span>'


def _arrow_svg(length_em: float) -> str:
    tip = round(length_em * 18, 1)
    shaft = f"M 1 6 H {tip - 8:g}"
    head = f"M {tip - 11:g} 1.5 L {tip - 1:g} 6 L {tip - 11:g} 10.5 L {tip - 8:g} 6 Z"
    return (
        f'<svg class="reaction-arrow" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {tip:g} 12"'
        f' width="{length_em:g}em" height="{12 / 18:.3f}em" role="img" aria-label="reacts to">'
        f'<path d="{shaft}" fill="none" stroke="currentColor" stroke-width="1.4"/>'
        f'<path d="{head}" fill="currentColor"/></svg>'
    )
