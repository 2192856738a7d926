import time

import pytest

from corpus.markup.depiction import BOND_LENGTH_EM, draw_molecule
from corpus.markup.molecules import (
    MAX_ATOMS,
    MAX_SMILES_LENGTH,
    InvalidReactionError,
    InvalidSmilesError,
    Reaction,
    TooLargeError,
    describe_molecules,
    read_molecule,
    read_reaction,
    smiles_problem,
)


def path_lengths(body: str) -> list[float]:
    """Lengths of the straight single lines of a drawing."""
    lengths = []
    for piece in body.split(' d="M ')[1:]:
        points = [tuple(map(float, point.split(","))) for point in piece.split('"')[0].split(" L ") if "," in point]
        if len(points) == 2:
            (x1, y1), (x2, y2) = points
            lengths.append(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5)
    return lengths


@pytest.mark.parametrize(
    ("smiles", "problem"),
    [
        # RD-06
        ("C1CC", "unclosed ring"),
        ("c1ccc", "unclosed ring"),
        ("c1ccc1C(=O)c1cccc1", "kekulize"),
        ("C(C)(C)(C)(C)C", "valence"),
        ("", "empty"),
        ("   ", "empty"),
        ("C C", "space"),
        ("not a molecule", "space"),
        ("C(H)N", "syntax error"),
        ("C1CC(C", "parentheses"),
        ("CC(=O)(Cl)Cl", "valence"),
    ],
)
def test_rd_06_invalid_smiles_says_why(smiles: str, problem: str) -> None:
    message = smiles_problem(smiles)

    assert message is not None
    assert problem in message
    assert "\n" not in message
    with pytest.raises(InvalidSmilesError):
        draw_molecule(smiles)


@pytest.mark.parametrize(
    "smiles",
    ["F[Si-2](F)(F)(F)(F)F.[K+].[K+]", "Br[Br-]Br", "F[H][F-]", "[BH2]1[H][BH2][H]1", "O=S(=O)(O)O"],
)
def test_rd_04_hypervalent_and_bridging_species_are_drawn(smiles: str) -> None:
    assert smiles_problem(smiles) is None
    assert "<path" in draw_molecule(smiles).body


def test_rd_01_double_bond_isomers_are_drawn_differently() -> None:
    assert draw_molecule(r"C/C=C\Br").body != draw_molecule("C/C=C/Br").body


def test_rd_02_mirror_images_have_opposite_wedges() -> None:
    one, other = draw_molecule("C[C@H](O)C#N").body, draw_molecule("C[C@@H](O)C#N").body
    solid = [body for body in (one, other) if 'Z" fill="currentColor"' in body]

    assert len(solid) == 1, "one wedge is solid, the other hashed"


def test_rd_08_a_large_molecule_is_drawn_in_time_and_above_the_limit_refused() -> None:
    peptide = "N" + "CC(=O)N" * 70 + "CC(=O)O"
    atoms = read_molecule(peptide).GetNumAtoms()
    started = time.monotonic()
    draw_molecule(peptide)

    assert 280 < atoms <= MAX_ATOMS
    assert time.monotonic() - started < 10
    with pytest.raises(TooLargeError, match="atoms"):
        draw_molecule("C" * (MAX_ATOMS + 1))
    with pytest.raises(TooLargeError, match="characters"):
        draw_molecule("C" * (MAX_SMILES_LENGTH + 1))


@pytest.mark.parametrize("smiles", ["CC", "CCCCCCCCCCCCCCCCCCCC", "c1ccc2ccccc2c1"])
def test_bonds_have_one_length_everywhere(smiles: str) -> None:
    drawing = draw_molecule(smiles)
    longest = max(path_lengths(drawing.body)) * drawing.width_in_em / drawing.width

    assert longest == pytest.approx(BOND_LENGTH_EM, rel=0.01)
    assert drawing.width_in_em / drawing.width == pytest.approx(drawing.height_in_em / drawing.height, rel=0.001)


def test_a_drawing_takes_the_colour_of_the_text_and_has_no_background() -> None:
    body = draw_molecule("CC(=O)Nc1ccc(O)cc1.[Na+].[Cl-]").body

    assert "currentColor" in body
    assert "#" not in body
    assert "<rect" not in body
    assert "style" not in body


@pytest.mark.parametrize(
    ("source", "reaction"),
    [
        # RD-09
        (
            "CCO.CC(=O)O>OS(=O)(=O)O>CCOC(C)=O.O",
            Reaction(("CCO", "CC(=O)O"), ("OS(=O)(=O)O",), ("CCOC(C)=O", "O")),
        ),
        ("CCO>>", Reaction(("CCO",), (), ())),
        (">>CCO", Reaction((), (), ("CCO",))),
        ("N->[Pt]>>N", Reaction(("N->[Pt]",), (), ("N",))),
    ],
)
def test_reactions_are_read(source: str, reaction: Reaction) -> None:
    assert read_reaction(source) == reaction


@pytest.mark.parametrize(
    ("source", "message"),
    [(">>", "no molecules"), ("CCO", "two > signs"), ("CCO>CC", "two > signs"), ("C1CC>>C", "C1CC: unclosed ring")],
)
def test_bad_reactions_say_why(source: str, message: str) -> None:
    with pytest.raises(InvalidReactionError, match=message):
        read_reaction(source)


def test_facts_of_the_molecules_of_a_text() -> None:
    ethanol, benzene, methane, methanol = describe_molecules(
        "[START_SMILES]CCO[END_SMILES] [START_SMILES]C1CC[END_SMILES] [START_SMILES] c1ccccc1 [END_SMILES]"
        r" \ce{H2O} [START_RXNSMILES]C>>CO[END_RXNSMILES]"
    )

    assert (ethanol.smiles, ethanol.heavy_atoms, ethanol.rings) == ("CCO", 3, 0)
    assert (benzene.smiles, benzene.heavy_atoms, benzene.rings) == ("c1ccccc1", 6, 1)
    assert benzene.bertz > ethanol.bertz > 0
    assert (methane.smiles, methanol.smiles) == ("C", "CO")


def test_facts_of_a_bridging_species_do_not_fail() -> None:
    (facts,) = describe_molecules("[START_SMILES]F[H][F-][END_SMILES]")

    assert facts.heavy_atoms == 2
