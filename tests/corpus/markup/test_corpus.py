"""The markup on the published question bank, read in place."""

import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.markup.formula import formula_html
from corpus.markup.html import render_html
from corpus.markup.katex import FormulaError
from corpus.markup.lint import lint_markup
from corpus.markup.segments import Broken, Chemical, Math, ReactionSmiles, Segment, Smiles, Unit, parse
from corpus.markup.text import render_plain, render_text, text_styles

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def texts(shared: Path) -> list[tuple[str, str]]:
    """File name and text of every stem and option."""
    return list(_texts(shared / "data" / "chembench" / "corpus.zip"))


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".json"):
                question = json.loads(archive.read(name))
                for example in question["examples"]:
                    yield name, example["input"]
                    yield from ((name, option) for option in example.get("target_scores", {}))


@pytest.fixture(scope="module")
def segments(texts: list[tuple[str, str]]) -> list[Segment]:
    return [segment for _name, text in texts for segment in parse(text)]


def test_the_census_of_markup_agrees(segments: list[Segment]) -> None:
    distinct = {kind: {s.source for s in segments if isinstance(s, kind)} for kind in (Chemical, Unit, Math)}
    never_closed = {s.source for s in segments if isinstance(s, Broken) and s.source.startswith(r"\ce{")}
    smiles = [s.body for s in segments if isinstance(s, Smiles)]

    assert {kind.__name__: len(found) for kind, found in distinct.items()} == {
        "Chemical": 634,
        "Unit": 430,
        "Math": 182,
    }
    assert len(never_closed) == 3
    assert (len(smiles), len(set(smiles))) == (2_544, 2_030)
    assert sum(isinstance(s, ReactionSmiles) for s in segments) == 1


def test_all_but_the_damaged_formulas_are_typeset(segments: list[Segment]) -> None:
    formulas = {s.source: s for s in segments if isinstance(s, Math | Chemical | Unit)}
    refused: Counter[str] = Counter()
    for segment in formulas.values():
        try:
            assert "<math" in formula_html(segment)
        except FormulaError as error:
            refused[str(error)] += 1

    assert refused == {
        "the formula contains an invisible control character": 6,
        "the formula has unbalanced braces": 6,
    }


def test_every_question_renders_for_people(texts: list[tuple[str, str]]) -> None:
    pages = [render_html(text, place="q") for _name, text in texts]
    molecules = sum(page.count('<figure class="molecule">') for page in pages)
    notes = sum(page.count("not drawn:") for page in pages)

    assert len({name for name, _text in texts}) == 2_788
    assert (molecules, notes) == (2_540, 4)
    assert sum(page.count('<figure class="molecule reaction">') for page in pages) == 1
    assert not any("<style" in page or "<script" in page for page in pages)


def test_every_question_renders_for_models_in_every_style(texts: list[tuple[str, str]]) -> None:
    for _name, text in texts:
        rendered = {style: render_text(text, style) for style in text_styles()}
        assert all(rendered.values())
        assert not any(ord(character) < 32 and character != "\n" for character in "".join(rendered.values()))
        assert render_plain(text)
        assert r"\ce{" not in rendered["plain"] or r"\ce{" in "".join(
            segment.source for segment in parse(text) if isinstance(segment, Broken)
        )


def test_the_lint_names_the_known_faults(texts: list[tuple[str, str]]) -> None:
    found: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    for name, text in texts:
        for finding in lint_markup(text):
            found.setdefault(finding.code, set()).add("/".join(Path(name).parts[-2:]))
            counts[finding.code] += 1

    assert counts["smiles-invalid"] == 4
    assert found["smiles-invalid"] == {f"oup/drug_synthesis_{number}.json" for number in (10, 11, 12)}
    assert found["control-character"] == {
        "2010/4d1.json",
        "hedm_munich/12.json",
        "pharmacology_vienna/9.json",
    }
    assert "oup/drug_synthesis_12.json" in found["markup-tag"]
    assert counts["braces-unbalanced"] == 12
    assert "formula-invalid" not in counts
    assert "formula-unchecked" not in counts
