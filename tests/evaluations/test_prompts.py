"""What a model is sent, and that what was shown can be read back by identity."""

import hashlib
import json
from dataclasses import replace

import pytest

from corpus.scoring.protocols import chosen_protocols
from corpus.scoring.reading import read_answer
from corpus.scoring.rules import judge
from corpus.scoring.types import Asked, Kind, ShownOption
from corpus.selectors.targets import asked_from_prompt, target_of
from evaluations.errors import CannotBeAskedError
from evaluations.prompts import prompt_style, prompt_style_names, prompt_styles
from evaluations.providers.structure.answers import question_text
from tests.corpus.factories import make_benchmark, make_question

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


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


# All styles

# A style never changes: where this fails for a style that runs may have used, give the new words another version.
DIGESTS = {
    "instruction@1": "d7d2db8df06f026f",
    "instruction-tags@1": "78dcc3c35b2e1e13",
    "instruction-plain@1": "19d4cc50ef1a6b79",
    "completion@1": "e0a75f6a090da694",
    "completion-tags@1": "ed0688ba00cf387b",
    "completion-plain@1": "98c011baa96b45b2",
    "headings@1": "5989078ebe84ba28",
    "headings-tags@1": "6c8bed6b9b41a420",
    "headings-plain@1": "bef87c301b16289f",
    "chain-of-thought@1": "a03f009221e30f77",
    "chain-of-thought-tags@1": "0ad936a9795db7b0",
    "chain-of-thought-plain@1": "9bc4264f94ff40a7",
    "self-critique@1": "3505931f9cf94314",
    "self-critique-tags@1": "b0848a3cfecd2f26",
    "self-critique-plain@1": "3ef8e9eb332d56a9",
}


@pytest.mark.parametrize("name", prompt_style_names())
def test_a_style_keeps_its_words_for_ever(name: str) -> None:
    words = json.dumps(prompt_style(name).as_frozen(), sort_keys=True)
    assert hashlib.sha256(words.encode()).hexdigest()[:16] == DIGESTS[name]


def test_every_style_has_a_name_with_a_version_and_says_what_it_is_for() -> None:
    assert len(set(prompt_style_names())) == len(prompt_styles())
    for style in prompt_styles():
        name, _, version = style.name.partition("@")
        assert name
        assert version.isdigit()
        assert style.summary.endswith(".")
        assert chosen_protocols(style.protocols)


def test_another_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(CannotBeAskedError, match="instruction@1, instruction-tags@1"):
        prompt_style("instruction@2")


STEM = r"Is \ce{H2O} or [START_SMILES]CCO[END_SMILES] with $\Delta H$?"


@pytest.mark.parametrize(
    ("suffix", "said"),
    [
        ("", r"Is \ce{H2O} or CCO with $\Delta H$?"),
        ("-tags", STEM),
        ("-plain", "Is H2O or CCO with ΔH?"),
    ],
)
@pytest.mark.parametrize("family", ["instruction", "completion", "headings", "chain-of-thought", "self-critique"])
def test_chemistry_is_written_as_the_style_says(family: str, suffix: str, said: str) -> None:
    revision = make_question(make_benchmark(), stem=STEM, options=[(STEM, 1), ("no", 0)]).current_revision
    assert revision is not None
    made = prompt_style(f"{family}{suffix}@1").prepare(revision)
    assert made.prompt.count(said) == 2
    assert made.options_shown[0][2] == said


# How a reply looks that does what the style asks for, by family.
REPLIES = {
    "instruction": "It has no substituent. [ANSWER]{answer}[/ANSWER]",
    "completion": " {answer}\n\nQuestion: What is next?\nAnswer: 99",
    "headings": "The ring counts.\n\n## Final Answer\n{answer}",
    "chain-of-thought": "1. The answer is C or 5?\n2. No.\n[ANSWER]{answer}[/ANSWER]",
    "self-critique": "I overlooked nothing. [ANSWER]{answer}[/ANSWER]",
}


@pytest.mark.parametrize("name", prompt_style_names())
@pytest.mark.parametrize(("fields", "answer"), [({}, "A"), ({"kind": "number", "target": "42"}, "42")])
def test_what_a_style_asks_for_is_read(name: str, fields: dict[str, str], answer: str) -> None:
    style = prompt_style(name)
    revision = make_question(make_benchmark(), **fields).current_revision  # type: ignore[arg-type]
    assert revision is not None
    made = style.prepare(revision)
    asked = replace(asked_from_prompt(revision, made.options_shown, made.prompt), protocols=style.protocols)
    family = name.partition("@")[0].removesuffix("-tags").removesuffix("-plain")
    reading = read_answer(text=REPLIES[family].format(answer=answer), asked=asked, finish_reason="stop")
    assert judge(reading=reading, target=target_of(revision)).outcome == "right"


@pytest.mark.parametrize("name", prompt_style_names())
def test_the_structure_baseline_finds_the_question_in_every_style(name: str) -> None:
    for kind, target in [("choice", ""), ("number", "3"), ("molecule", "CCO"), ("text", "no")]:
        stem = "How many carbons has the molecule with SMILES CCO?"
        revision = make_question(make_benchmark(), kind=kind, target=target, stem=stem).current_revision
        assert revision is not None
        assert question_text(prompt_style(name).prepare(revision).prompt) == stem


@pytest.mark.parametrize("name", prompt_style_names())
def test_what_stands_between_tags_is_read_in_every_style(name: str) -> None:
    asked = Asked(
        Kind.CHOICE, (ShownOption("A", "k1", "x"), ShownOption("B", "k2", "y")), "?", "", prompt_style(name).protocols
    )
    assert read_answer(text="[ANSWER]B[/ANSWER]", asked=asked, finish_reason="stop").option_keys == ("k2",)


@pytest.mark.parametrize("name", prompt_style_names())
@pytest.mark.parametrize("kind", ["choice", "number", "molecule", "text"])
def test_an_echo_of_what_was_said_is_no_answer_and_the_key_is_not_said(name: str, kind: str) -> None:
    style = prompt_style(name)
    revision = make_question(make_benchmark(), kind=kind, target="" if kind == "choice" else "987654").current_revision
    assert revision is not None
    made = style.prepare(revision)
    asked = replace(asked_from_prompt(revision, made.options_shown, made.prompt), protocols=style.protocols)
    for said in (made.prompt, style.follow_up or made.prompt):
        assert "987654" not in said
        assert read_answer(text=said, asked=asked, finish_reason="stop").status.value != "read"


def test_a_style_that_names_places_reads_no_others() -> None:
    style = prompt_style("headings@1")
    revision = make_question(make_benchmark()).current_revision
    assert revision is not None
    made = style.prepare(revision)
    asked = asked_from_prompt(revision, made.options_shown, made.prompt)
    text = "I put \\boxed{B} at first.\n\n## Final Answer\nA"
    assert read_answer(text=text, asked=asked).option_keys == (made.options_shown[1][1],)
    named = replace(asked, protocols=style.protocols)
    assert read_answer(text=text, asked=named).option_keys == (made.options_shown[0][1],)


def test_only_the_critique_has_a_second_turn() -> None:
    assert {style.name for style in prompt_styles() if style.follow_up} == {
        "self-critique@1",
        "self-critique-tags@1",
        "self-critique-plain@1",
    }
