"""Why two rules part over an answer: a named cause for each difference, found by predicates.

Each predicate tests the mechanism it names: what was stored must be what that habit yields on this text, and what we
read must be what stands there without it. A status of standard's own (`cut-off`, `agent-stop-text`) is a cause whatever
was stored.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from corpus.scoring import choice_causes, number_causes, shared_causes, typed_causes
from corpus.scoring.types import Difference

__all__ = ["CAUSES", "CAUSES_OF_PEOPLE", "CAUSES_OF_REPLIES", "Difference", "cause_of"]

Predicate = Callable[[Difference], bool]

_PREDICATES: dict[str, tuple[str, Predicate]] = {
    "agent-stop-text": (
        "The reply is an agent's own stop text and holds no answer; what was stored came from an extractor or nowhere.",
        shared_causes.is_agent_stop_text,
    ),
    "echoed-prompt": (
        "The reply repeats the prompt, and what was stored stands in that echo.",
        shared_causes.is_echoed_prompt,
    ),
    "cut-off": (
        "The reply was cut off before its answer was complete; whatever the report stored or did not, nothing counts.",
        shared_causes.is_cut_off,
    ),
    "thinking-text": (
        "What was stored stands in a thinking block, which is no part of the answer.",
        shared_causes.is_thinking_text,
    ),
    "refusal": (
        "The reply declines to answer: named a refusal, where the report knows only unparsed.",
        shared_causes.is_refusal,
    ),
    "target-zero-or-below": (
        "Both read the same number, and the target is zero or below, which the published comparison can never meet.",
        number_causes.is_target_zero_or_below,
    ),
    "boundary": (
        "Both read the same number, exactly 1 % off: inside for standard, outside as published.",
        number_causes.is_boundary,
    ),
    "own-tolerance": (
        "Both read the same number, and the question states a tolerance of its own, which the published rule ignores.",
        number_causes.is_own_tolerance,
    ),
    "option-order": (
        "The stored letters were looked up in another order of the options than the one that was shown.",
        choice_causes.is_option_order,
    ),
    "correction": (
        "The reply takes its tagged answer back in so many words and states another.",
        shared_causes.is_correction,
    ),
    "run-on": (
        "The reply runs on into a question of its own, and what was stored comes from there.",
        shared_causes.is_run_on,
    ),
    "union-of-tags": (
        "Several answer tags: the report joined the letters of all, the last tag counts.",
        choice_causes.is_union_of_tags,
    ),
    "first-of-several-tags": (
        "Several answer tags: the report took the first number, the last tag counts.",
        number_causes.is_first_of_several_tags,
    ),
    "outside": (
        "A sign or a power of ten stands outside the tag or box; the report took what is inside alone.",
        number_causes.is_outside,
    ),
    "multiplication-sign": (
        "A power of ten behind a multiplication sign was cut off.",
        number_causes.is_multiplication_sign,
    ),
    "spaced-exponent": (
        "An exponent behind a space or in raised digits was cut off.",
        number_causes.is_spaced_exponent,
    ),
    "thousands-separator": (
        "A number was cut at its thousands separator.",
        number_causes.is_thousands_separator,
    ),
    "decimal-comma": (
        "A number was cut at its decimal comma.",
        number_causes.is_decimal_comma,
    ),
    "lost-minus": (
        "A minus written as another sign, as a word or behind the number was lost.",
        number_causes.is_lost_minus,
    ),
    "fraction": (
        "Only the first number of a fraction was stored.",
        number_causes.is_fraction,
    ),
    "derivation": (
        "The answer is a derivation: the report took its first number, its result counts.",
        number_causes.is_derivation,
    ),
    "unit-converted": (
        "The number was written in another unit than asked for and has been converted.",
        number_causes.is_unit_converted,
    ),
    "written-in-words": (
        "A Roman numeral or a number in words, which the report could not read.",
        number_causes.is_written_in_words,
    ),
    "placeholder-tag": (
        "The first tag repeats the instruction's placeholder; the answer stands in a later one.",
        shared_causes.is_placeholder_tag,
    ),
    "misspelt-tag": (
        "The answer stands in a tag that is misspelt or only half written, which the report could not see.",
        shared_causes.is_misspelt_tag,
    ),
    "number-word": (
        "No tag holds a number; what was stored is a number word from elsewhere in the text, or part of a word.",
        number_causes.is_number_word,
    ),
    "second-number": (
        "The answer states several numbers, a range or an expression; the report took the first, standard none.",
        number_causes.is_second_number,
    ),
    "letter-outside-options": (
        "The answer names a letter that no option has; the report kept those that exist.",
        choice_causes.is_letter_outside_options,
    ),
    "letter-against-text": (
        "The answer gives a letter together with another option's text; the report kept the letter.",
        choice_causes.is_letter_against_text,
    ),
    "alternatives": (
        "The answer leaves open which of several options it means; the report took them all or the first.",
        choice_causes.is_alternatives,
    ),
    "letter-list": (
        "The answer lists several letters in a way of which the report read only a part.",
        choice_causes.is_letter_list,
    ),
    "option-text": (
        "The answer gives an option's text, which the report could not read or took letters from.",
        choice_causes.is_option_text,
    ),
    "letters-out-of-words": (
        "The tag names no option, yet the report took capitals out of its words.",
        choice_causes.is_letters_out_of_words,
    ),
    "lucky-fallback": (
        "No tag states the stored answer: it came from an extractor.",
        shared_causes.is_lucky_fallback,
    ),
    "outside-tags": (
        "The answer is stated plainly but in no answer tag, where the report did not look.",
        shared_causes.is_outside_tags,
    ),
    "no-answer-stored": (
        "Neither has an answer; standard says what the reply is, where the report knows only unparsed.",
        shared_causes.is_no_answer_either_way,
    ),
}

# What a person types has no tags, no prompt and no prose: causes that look for these say nothing about it.
_PREDICATES_OF_PEOPLE: dict[str, tuple[str, Predicate]] = {
    "kept-as-reported": (
        "The survey worded the question otherwise than the bank: the report's letters were kept, standard takes what "
        "was ticked.",
        typed_causes.is_kept_as_reported,
    ),
    **{
        name: _PREDICATES[name]
        for name in (
            "target-zero-or-below",
            "boundary",
            "own-tolerance",
            "option-order",
            "multiplication-sign",
            "spaced-exponent",
            "thousands-separator",
            "decimal-comma",
        )
    },
    "comma-as-point": (
        "The report took every comma for a decimal point; standard read this one otherwise.",
        typed_causes.is_comma_as_point,
    ),
    **{
        name: _PREDICATES[name]
        for name in ("lost-minus", "fraction", "unit-converted", "written-in-words", "second-number")
    },
    "spaced-exponent-unread": (
        "The exponent stands behind a space, and the report stored no number at all.",
        typed_causes.is_spaced_exponent_unread,
    ),
    "unit-unread": (
        "A unit stands behind the number, and the report stored no number at all.",
        typed_causes.is_unit_unread,
    ),
    "no-answer-stored": _PREDICATES["no-answer-stored"],
}

CAUSES_OF_REPLIES = frozenset(_PREDICATES)
CAUSES_OF_PEOPLE = frozenset(_PREDICATES_OF_PEOPLE)
CAUSES: Mapping[str, str] = MappingProxyType(
    {name: description for name, (description, _) in (_PREDICATES | _PREDICATES_OF_PEOPLE).items()}
)


def cause_of(difference: Difference) -> str:
    """Return the name in `CAUSES` of the first cause whose mechanism explains `difference`, or "" where none does."""
    predicates = _PREDICATES_OF_PEOPLE if difference.is_persons else _PREDICATES
    for name, (_, holds) in predicates.items():
        if holds(difference):
            return name
    return ""
