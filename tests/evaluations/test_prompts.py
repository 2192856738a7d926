"""What a model is sent, and that what was shown can be read back by identity."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.rules import judge
from corpus.selectors.targets import asked_from_prompt, target_of
from evaluations.prompts import prompt_style, prompt_style_names
from tests.corpus.factories import make_benchmark, make_question

pytestmark = pytest.mark.django_db


def prepared(**fields: object):  # type: ignore[no-untyped-def]
    revision = make_question(make_benchmark(), **fields).current_revision  # type: ignore[arg-type]
    assert revision is not None
    return revision, prompt_style("instruction@1").prepare(revision, ())


def test_a_choice_lists_its_options_by_letter() -> None:
    options = [("[START_SMILES]CCO[END_SMILES]", 1), (r"\ce{H2O}", 0), ("neither", 0)]
    revision, made = prepared(stem="Which is [START_SMILES]CCO[END_SMILES]?", options=options)
    assert "Which is CCO?" in made.prompt
    assert "\nA. CCO\nB. \\ce{H2O}\nC. neither\n" in made.prompt
    keys = [option.option_key for option in revision.options.all()]
    assert made.options_shown == (("A", keys[0], "CCO"), ("B", keys[1], "\\ce{H2O}"), ("C", keys[2], "neither"))
    assert "[ANSWER]A,C[/ANSWER]" in made.prompt


def test_another_order_of_the_options_keeps_their_identity() -> None:
    revision = make_question(make_benchmark()).current_revision
    assert revision is not None
    keys = [option.option_key for option in revision.options.all()]
    made = prompt_style("instruction@1").prepare(revision, list(reversed(keys)))
    assert [key for _, key, _ in made.options_shown] == list(reversed(keys))
    asked = asked_from_prompt(revision, made.options_shown, made.prompt)
    reading = read_answer(text="[ANSWER]D[/ANSWER]", asked=asked, finish_reason="stop")
    assert reading.option_keys == (keys[0],)
    assert judge(reading=reading, target=target_of(revision)).outcome == "right"


@pytest.mark.parametrize(("unit", "said"), [("kJ/mol", "in kJ/mol and without the unit"), ("", "without a unit")])
def test_a_number_names_its_unit(unit: str, said: str) -> None:
    _, made = prepared(kind="number", target="-12.5", unit=unit)
    assert said in made.prompt
    assert made.options_shown == ()
    assert "Options:" not in made.prompt


@pytest.mark.parametrize(("kind", "word"), [("molecule", "SMILES"), ("text", "as short as it can be")])
def test_other_kinds_say_what_is_wanted(kind: str, word: str) -> None:
    _, made = prepared(kind=kind, target="CCO")
    assert word in made.prompt


@pytest.mark.parametrize("kind", ["choice", "number", "molecule", "text"])
def test_the_key_is_not_in_the_prompt_and_an_echo_of_it_is_no_answer(kind: str) -> None:
    revision, made = prepared(kind=kind, target="" if kind == "choice" else "987654")
    assert "987654" not in made.prompt
    asked = asked_from_prompt(revision, made.options_shown, made.prompt)
    assert read_answer(text=made.prompt, asked=asked, finish_reason="stop").status.value != "read"


def test_braces_and_percent_signs_in_a_question_stay_as_they_are() -> None:
    _, made = prepared(stem=r"At 5 % of {x} and $\frac{a}{b}$, which?")
    assert r"At 5 % of {x} and $\frac{a}{b}$, which?" in made.prompt


def test_every_style_has_a_name_with_a_version() -> None:
    assert prompt_style_names() == ("instruction@1",)
    assert all("@" in prompt_style(name).name for name in prompt_style_names())
