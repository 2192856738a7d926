"""A reply ends with its end-of-turn token; tokens and turns of a chat template are no part of it."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.turns import without_other_turns
from corpus.scoring.types import Asked, Kind, ShownOption

TEXTS = ("tin", "zinc", "lead", "gold")
PROMPT = "Which of these metals is it? Put the letter in [ANSWER] and [/ANSWER]."
CHOICE = Asked(Kind.CHOICE, tuple(ShownOption(a, a, text) for a, text in zip("ABCD", TEXTS, strict=True)), PROMPT)
NUMBER = Asked(Kind.NUMBER, prompt=PROMPT)
ENDS = ("</s>", "<|im_end|>", "<|eot_id|>", "<|end|>", "<|endoftext|>", "<end_of_turn>", "<|return|>")
MORE_ENDS = ("<|call|>", "<|eom_id|>", "<|END_RESPONSE|>", "<|END_OF_TURN_TOKEN|>", "<｜end▁of▁sentence｜>")
RARER_ENDS = ("<|end_of_text|>", "<|eot|>", "<|EOT|>", "<|eom|>", "<eos>", "<end_of_utterance>", "[|endofturn|]")


def read(text: str, asked: Asked) -> str:
    reading = read_answer(text=text, asked=asked)
    value = "".join(reading.option_keys) or ("" if reading.number is None else str(reading.number))
    return value or reading.status.value


@pytest.mark.parametrize("end", [*ENDS, *MORE_ENDS, *RARER_ENDS])
def test_an_end_of_turn_token(end: str) -> None:
    assert read(f"B{end}", CHOICE) == "B"
    assert read(f"7{end}", NUMBER) == "7"
    assert read(f"Answer: 7{end}\n", NUMBER) == "7"
    assert read(f"[ANSWER]C[/ANSWER]{end}[ANSWER]D[/ANSWER]", CHOICE) == "C"
    assert read(f"{end}\n[ANSWER]D[/ANSWER]{end}", CHOICE) == "D"


TURNS = [
    ("[ANSWER]C[/ANSWER]</s><s>[INST] next one [/INST] [ANSWER]D[/ANSWER]", CHOICE, "C"),
    ("[ANSWER]C[/ANSWER][INST] next one [/INST] [ANSWER]D[/ANSWER]", CHOICE, "C"),
    ("[ANSWER]5[/ANSWER]<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n[ANSWER]6[/ANSWER]", NUMBER, "5"),
    (f"<|im_start|>user\n{PROMPT}<|im_end|>\n<|im_start|>assistant\nB<|im_end|>", CHOICE, "B"),
    (
        f"<|im_start|>system\nUse words.<|im_end|>\n<|im_start|>user\n{PROMPT}<|im_end|>\n<|im_start|>assistant\nB",
        CHOICE,
        "B",
    ),
    (f"<s>[INST] {PROMPT} [/INST] B</s>", CHOICE, "B"),
    ("<|im_start|>assistant\nB<|im_end|>", CHOICE, "B"),
    ("<|channel|>analysis<|message|>It is A.<|end|><|start|>assistant<|channel|>final<|message|>B", CHOICE, "B"),
    ("<|START_RESPONSE|>B<|END_RESPONSE|>", CHOICE, "B"),
    ("<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>B<|END_OF_TURN_TOKEN|>", CHOICE, "B"),
    ("[ANSWER]5[/ANSWER]<|user|>\nNext one.<|assistant|>[ANSWER]6[/ANSWER]", NUMBER, "5"),
    ("[ANSWER]5[/ANSWER]\n<|assistant|>\n[ANSWER]6[/ANSWER]", NUMBER, "5"),
    ("[ANSWER]5[/ANSWER][|user|]Next one.[|assistant|][ANSWER]6[/ANSWER]", NUMBER, "5"),
    ("[ANSWER]5[/ANSWER]<|start_of_role|>user<|end_of_role|>[ANSWER]6[/ANSWER]", NUMBER, "5"),
    (f"<|user|>\n{PROMPT}<|assistant|>\nB", CHOICE, "B"),
    ("<|start_of_role|>assistant<|end_of_role|>B<|end_of_text|>", CHOICE, "B"),
    ("[|assistant|]B[|endofturn|]", CHOICE, "B"),
    ("<think>It is A.</s></think>B</s>", CHOICE, "B"),
    ("The answer is <s>A</s> B", CHOICE, "unparsed"),
    ("The answer is <s>A</s>. [ANSWER]B[/ANSWER]", CHOICE, "B"),
    (f"[ANSWER]C[/ANSWER]\n\n{PROMPT}\n[ANSWER]D[/ANSWER]", CHOICE, "C"),
    (f"Use [ANSWER] and [/ANSWER].\n{PROMPT}\n[ANSWER]D[/ANSWER]", CHOICE, "D"),
]


@pytest.mark.parametrize(("text", "asked", "expected"), TURNS)
def test_turns(text: str, asked: Asked, expected: str) -> None:
    assert read(text, asked) == expected


def test_a_span_points_into_the_raw_text() -> None:
    text = "<|im_start|>assistant\n[ANSWER]C[/ANSWER]<|im_end|>"
    span = read_answer(text=text, asked=CHOICE).span
    assert span is not None
    assert text[slice(*span)] == "C"


def test_what_is_left_out_becomes_as_many_blanks() -> None:
    assert without_other_turns("B</s> C") == "B" + " " * 6


@pytest.mark.parametrize(("length", "is_struck"), [(197, True), (198, False)])
def test_a_stretch_struck_out_is_no_longer_than_the_window(length: int, is_struck: bool) -> None:
    text = f"A <s>{'x' * length}</s> B"
    assert (without_other_turns(text) == text) is is_struck
