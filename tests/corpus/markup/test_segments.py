import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.markup.segments import (
    Broken,
    Chemical,
    Math,
    ReactionSmiles,
    Smiles,
    Text,
    Unit,
    braces_balanced,
    parse,
)

MARKUP_PIECES = [
    "$",
    "$$",
    r"\$",
    r"\ce{",
    r"\pu{",
    r"\ce",
    "{",
    "}",
    r"\(",
    r"\)",
    r"\[",
    r"\]",
    "[START_SMILES]",
    "[END_SMILES]",
    "[START_RXNSMILES]",
    "[END_RXNSMILES]",
    "[END_RXMSMILES]",
    "CCO",
    " ",
    "\n",
    "\n\n",
    "5",
    "x^2",
    "\f",
    "\\",
    "rac",
]
markup_text = st.lists(st.sampled_from(MARKUP_PIECES), max_size=25).map("".join)


def kinds(source: str) -> list[tuple[str, str]]:
    return [(type(segment).__name__, segment.body) for segment in parse(source)]


@given(st.one_of(markup_text, st.text()))
def test_no_character_is_lost_and_neighbouring_text_is_joined(source: str) -> None:
    segments = parse(source)

    assert "".join(segment.source for segment in segments) == source
    assert all(segment.source for segment in segments)
    pairs = zip(segments, segments[1:], strict=False)
    assert not any(isinstance(left, Text) and isinstance(right, Text) for left, right in pairs)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"a \ce{H2O} b", [("Text", "a "), ("Chemical", "H2O"), ("Text", " b")]),
        (r"\ce{Fe^{3+}}", [("Chemical", "Fe^{3+}")]),
        (r"\ce{A ->[$\Delta$] B}", [("Chemical", r"A ->[$\Delta$] B")]),
        (r"\ce {H2O}", [("Chemical", "H2O")]),
        (r"\pu{1 g cm^{-3}}", [("Unit", "1 g cm^{-3}")]),
        (r"\cell and \purple", [("Text", r"\cell and \purple")]),
        ("$x^2$", [("Math", "x^2")]),
        ("$$x^2$$", [("Math", "x^2")]),
        (r"\(x\)", [("Math", "x")]),
        (r"\[x\]", [("Math", "x")]),
        (r"$\ce{H2O}$ and $\pu{1 K}$", [("Math", r"\ce{H2O}"), ("Text", " and "), ("Math", r"\pu{1 K}")]),
        (r"$\ce{A ->[$k$] B}$", [("Math", r"\ce{A ->[$k$] B}")]),
        ("1s$^2$2s$^2$2p", [("Text", "1s"), ("Math", "^2"), ("Text", "2s"), ("Math", "^2"), ("Text", "2p")]),
        (r"$\rho \propto \beta $", [("Math", r"\rho \propto \beta ")]),
        ("$14$, text", [("Math", "14"), ("Text", ", text")]),
        ("$$never closed", [("Text", "$$never closed")]),
        ("$a\n\nb$", [("Text", "$a\n\nb$")]),
        ("[START_SMILES]CCO[END_SMILES]", [("Smiles", "CCO")]),
        ("[START_RXNSMILES]C>>CO[END_RXNSMILES]", [("ReactionSmiles", "C>>CO")]),
        ("[START_SMILES]C#C$C[END_SMILES] $x$", [("Smiles", "C#C$C"), ("Text", " "), ("Math", "x")]),
        ("[citation needed] and [Fe]", [("Text", "[citation needed] and [Fe]")]),
        ("", []),
    ],
)
def test_segments(source: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(source) == expected


def test_display_is_told_apart() -> None:
    assert [segment.display for segment in parse(r"$a$\(b\)$$c$$\[d\]") if isinstance(segment, Math)] == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # RD-17
        ("It costs $5 and later $10.", [("Text", "It costs $5 and later $10.")]),
        (r"Pay \$2 for $x^2$.", [("Text", "Pay $2 for "), ("Math", "x^2"), ("Text", ".")]),
        (
            r"It costs $5 and later $10. Pay \$2 for $x^2$.",
            [("Text", "It costs $5 and later $10. Pay $2 for "), ("Math", "x^2"), ("Text", ".")],
        ),
        ("US$5 or US$6", [("Text", "US$5 or US$6")]),
        ("$5-$10", [("Text", "$5-$10")]),
        ("$5 to $10, with $x$", [("Text", "$5 to $10, with "), ("Math", "x")]),
        (r"$100 for \ce{H2O}, $200 for two", [("Text", "$100 for "), ("Chemical", "H2O"), ("Text", ", $200 for two")]),
    ],
)
def test_money_is_not_math(source: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(source) == expected


def test_rd_11_broken_tags_swallow_nothing() -> None:
    segments = parse("Which reagent: [END_RXNSMILES]CC>>CO[END_RXMSMILES]? [START_SMILES]CCO[END_SMILES]")

    assert [type(segment) for segment in segments] == [Text, Broken, Text, Broken, Text, Smiles]
    assert segments[1].source == "[END_RXNSMILES]"
    assert segments[3].source == "[END_RXMSMILES]"


@pytest.mark.parametrize(
    "source",
    [
        r"\ce{Cr^{+3} and \pu{1 K}",
        r"\ce[PMe3} and \pu{1 K}",
        r"[START_SMILES]CC and \pu{1 K}",
        r"[START_SMILES]CC[END_RXNSMILES] and \pu{1 K}",
        r"[SMILES]CC[/SMILES] and \pu{1 K}",
        r"\(x and \pu{1 K}",
        r"[start_smiles] and \pu{1 K}",
    ],
)
def test_markup_after_something_broken_still_counts(source: str) -> None:
    segments = parse(source)

    assert any(isinstance(segment, Broken) and segment.reason for segment in segments)
    assert segments[-1] == Unit(r"\pu{1 K}", "1 K")


def test_an_opening_tag_that_is_never_closed_leaves_the_next_molecule_alone() -> None:
    segments = parse("[START_SMILES]CC [START_SMILES]CCO[END_SMILES]")

    assert isinstance(segments[0], Broken)
    assert segments[-1] == Smiles("[START_SMILES]CCO[END_SMILES]", "CCO")


@pytest.mark.parametrize(
    ("source", "balanced"),
    [("{a}", True), ("{a", False), ("a}", False), ("}{", False), (r"\{a", True), (r"\\{a", False)],
)
def test_braces_balanced(source: str, balanced: bool) -> None:
    assert braces_balanced(source) is balanced


def test_segment_types_are_values() -> None:
    assert parse(r"\ce{A}")[0] == Chemical(r"\ce{A}", "A")
    assert parse("[START_RXNSMILES]>>[END_RXNSMILES]")[0] == ReactionSmiles("[START_RXNSMILES]>>[END_RXNSMILES]", ">>")
