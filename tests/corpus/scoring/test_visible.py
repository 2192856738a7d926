"""What is left of a reply without thinking and echo; everything stays in its place."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption
from corpus.scoring.visible import visible_text, with_line_breaks, without_struck

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
    *[
        (f"{opening}no{closing}yes", "#" * len(f"{opening}no{closing}") + "yes", False)
        for opening, closing in (
            ("<|thinking|>", "<|/thinking|>"),
            ("<inner_monologue>", "</inner_monologue>"),
            ("<thinking_process>", "</thinking_process>"),
            ("<chain_of_thought>", "</chain_of_thought>"),
            ("<cot>", "</cot>"),
            ("<antml_thinking>", "</antml_thinking>"),
            ("<|begin_of_thought|>", "<|end_of_thought|>\n\n<|begin_of_solution|>"),
            ("<|start|>assistant<|channel|>commentary<|message|>", "<|start|>assistant<|channel|>final<|message|>"),
            ("<|channel|>analysis to=tool<|message|>", "<|channel|>final <|constrain|>json<|message|>"),
        )
    ],
    ("yes<cot>no", "yes#######", True),
    ("yes<|channel|>commentary<|message|>no", "yes" + "#" * 34, True),
    ("yes<|end_of_solution|>no", "yes" + "#" * 21, False),
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


SPOKEN_OF = [
    ("Use <think> tags.\n[ANSWER]C[/ANSWER]", "C"),
    ("Use `<think>` tokens.\n[ANSWER]C[/ANSWER]", "C"),
    ("Use <think> and </think> tags.\n[ANSWER]C[/ANSWER]", "C"),
    ("<think> tags.\n[ANSWER]C[/ANSWER]", "truncated"),
    ("Well\n<think> tags.\n[ANSWER]C[/ANSWER]", "truncated"),
    ("Use <think> taggants.\n[ANSWER]C[/ANSWER]", "truncated"),
    ("<think>Use <think> tags.</think></think>[ANSWER]C[/ANSWER]", "C"),
]


@pytest.mark.parametrize(("text", "expected"), SPOKEN_OF)
def test_a_tag_that_is_spoken_of_opens_nothing(text: str, expected: str) -> None:
    shown = tuple(ShownOption(name, name, f"text {name}") for name in "ABCD")
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, shown))
    assert ("".join(reading.option_keys) or reading.status.value) == expected


LINE_BREAKS = [
    ("C<br>x", "C\n   x"),
    ("C<br/>x", "C\n    x"),
    ("C<br />x", "C\n     x"),
    ("C<BR>x", "C\n   x"),
    ("<p>C</p>", "\n  C\n   "),
    ("<h1>Answer</h1>", "\n## Answer\n    "),
    ("<h6>Answer</h6>", "\n## Answer\n    "),
    ("<b>C</b> < 5", "<b>C</b> < 5"),
]


@pytest.mark.parametrize(("text", "expected"), LINE_BREAKS)
def test_line_ends_of_html_are_line_ends(text: str, expected: str) -> None:
    assert with_line_breaks(text) == expected


HTML = [
    "Answer: C<br>",
    "The answer is C<br/>because ...",
    "<h3>Answer</h3>\n<p>C</p>",
    "<p>The answer is C</p><p>It is</p>",
]


@pytest.mark.parametrize("text", HTML)
def test_answers_in_html_are_read(text: str) -> None:
    shown = tuple(ShownOption(name, name, f"text<br>{name}") for name in "ABCD")
    asked = Asked(Kind.CHOICE, shown)
    reading = read_answer(text=text, asked=asked)
    assert reading.option_keys == ("C",)
    assert reading.span is not None
    assert text[slice(*reading.span)].startswith("C")
    assert read_answer(text="text<br>C", asked=asked).option_keys == ("C",)
    assert read_answer(text="text<br>C", asked=Asked(Kind.TEXT)).text == "text<br>C"


def test_tags_that_are_spoken_of_hide_nothing_and_those_behind_them_do() -> None:
    text = "The model should use <think> tags. <think>A</think> B"
    assert visible_text(text).text == "The model should use <think> tags. " + " " * len("<think>A</think>") + " B"


def test_a_tag_in_quotes_at_the_beginning_of_a_line_opens_a_block() -> None:
    text = "`<think>` tags hide A</think>\nB"
    assert visible_text(text).text.strip("` ") == "\nB"


def test_what_is_struck_through_becomes_blanks_of_the_same_length() -> None:
    assert without_struck("~~A~~ B <del>C</del> D") == " " * 5 + " B " + " " * 12 + " D"
    assert without_struck("A </b> B ~~C") == "A </b> B ~~C"


def test_a_quoted_line_of_the_prompt_with_words_of_the_reply_behind_it_is_no_echo() -> None:
    prompt = "Which gas burns, asked in a line of some length?\nA. neon\nB. propane"
    text = "Which gas  burns, asked in a line of some length? Propane, so the answer is B"
    assert visible_text(text, prompt).text == text
