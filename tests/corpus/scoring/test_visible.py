"""What is left of a reply without thinking and echo; everything stays in its place."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption
from corpus.scoring.visible import visible_text

# `#` stands for a character that is blanked out.
BLOCKS = [
    ("<think>no</think>yes", "#################yes", False),
    ("a<think>no</think>b<think>no</think>c", "a#################b#################c", False),
    ("<think>a<think>b</think>c</think>d", "#################################d", False),
    ("<think><think><think>b</think>c</think>d</think>e", "################################################e", False),
    ("no</think>yes", "##########yes", False),
    ("a<think>b</think>no</think>yes", "###########################yes", False),
    ("yes<think>no", "yes#########", True),
    ("yes<think>no<think>no</think>", "yes##########################", True),
    ("<THINKING>no</Thinking>yes", "#######################yes", False),
    ("[THINK]no[/THINK]yes", "#################yes", False),
    ("◁think▷no◁/think▷yes", "#################yes", False),
    ("<|begin_of_thought|>no<|end_of_thought|>yes", "########################################yes", False),
    ("<|channel|>analysis<|message|>no<|channel|>final<|message|>yes", "#" * 59 + "yes", False),
    ("<reasoning>no</reasoning><scratchpad>no</scratchpad>yes", "#" * 52 + "yes", False),
    ("I think < 5 [and] reason", "I think < 5 [and] reason", False),
    ("[thinking] a <b>", "[thinking] a <b>", False),
]


@pytest.mark.parametrize(("text", "expected", "is_cut"), BLOCKS)
def test_thinking_blocks(text: str, expected: str, is_cut: bool) -> None:
    visible = visible_text(text)
    assert visible.text == expected.replace("#", " ")
    assert visible.is_cut_in_thinking is is_cut


PROMPT = "Sixteen letters."
ECHOES = [
    (f"{PROMPT}yes", "################yes"),
    (f"so {PROMPT}yes{PROMPT}no", "so ################yes################no"),
    (f" {PROMPT}yes{PROMPT}no", " ################yes##################"),
    (f"{PROMPT}yes<think>no</think>", "################yes#################"),
    ("Sixteen letters, yes", "Sixteen letters, yes"),
]


@pytest.mark.parametrize(("text", "expected"), ECHOES)
def test_echoes(text: str, expected: str) -> None:
    assert visible_text(text, f" {PROMPT}\n").text == expected.replace("#", " ")


def test_a_prompt_of_fifteen_characters_is_no_echo() -> None:
    assert visible_text("Sixteen letters", "Sixteen letters").text == "Sixteen letters"


SAID_FIRST = "Be brief.\n\n"
ECHOES_OF_BOTH = [
    (f"{SAID_FIRST}{PROMPT}yes", "#" * 27 + "yes"),
    (f"{PROMPT}yes", "################yes"),
    (f"so {SAID_FIRST}{PROMPT}yes", "so " + "#" * 27 + "yes"),
    (f"{SAID_FIRST}{PROMPT}yes{SAID_FIRST}{PROMPT}no", "#" * 27 + "yes" + "#" * 29),
    (f"{SAID_FIRST}yes", f"{SAID_FIRST}yes"),
]


@pytest.mark.parametrize(("text", "expected"), ECHOES_OF_BOTH)
def test_echoes_of_a_prompt_with_words_before_it(text: str, expected: str) -> None:
    assert visible_text(text, PROMPT, f"\n{SAID_FIRST}").text == expected.replace("#", " ")


def test_an_echoed_system_prompt_states_no_answer() -> None:
    shown = (ShownOption("A", "a", "tin"), ShownOption("B", "b", "zinc"))
    said_first, prompt = "Put it like [ANSWER]A[/ANSWER].\n\n", "Which of these metals is it?"
    asked = Asked(Kind.CHOICE, shown, prompt, said_first=said_first)
    assert read_answer(text=f"{said_first}{prompt}\nB", asked=asked).option_keys == ("b",)
