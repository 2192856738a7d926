"""Causes of differences over questions that ask to choose."""

from operator import attrgetter

from corpus.scoring.choices import CONTRADICTION, UNKNOWN_LETTER
from corpus.scoring.letters import letter_index
from corpus.scoring.option_texts import BY_TEXT
from corpus.scoring.published_habits import exact_tags, lone_letters
from corpus.scoring.shared_causes import has_stored_answer, is_read, letters_of, reads_apart, standard_text
from corpus.scoring.types import Difference, Kind


def _is_choice(difference: Difference) -> bool:
    return difference.asked.kind is Kind.CHOICE and reads_apart(difference)


def is_option_order(difference: Difference) -> bool:
    """The letters standard read stand for the stored options when looked up in the key's order, or by the alphabet."""
    if not _is_choice(difference) or not is_read(difference) or not has_stored_answer(difference):
        return False
    options = difference.target.options
    places = [letter_index(letter) for letter in letters_of(difference.standard, difference.asked)]
    return any(
        {order[place].key for place in places if place < len(order)} == set(difference.published.option_keys)
        for order in (options, sorted(options, key=attrgetter("text")))
    )


def is_union_of_tags(difference: Difference) -> bool:
    """The stored letters are those of all tags together, standard read only the last."""
    if not _is_choice(difference) or len(exact_tags(difference.text)) < 2:
        return False
    united = frozenset[str]().union(*(lone_letters(tag) for tag in exact_tags(difference.text)))
    stored = letters_of(difference.published, difference.asked)
    is_last = standard_text(difference) in exact_tags(difference.text)[-1]
    return is_last and stored <= united and not stored <= lone_letters(standard_text(difference))


def is_letter_outside_options(difference: Difference) -> bool:
    """The text read holds the stored letters and one that was not shown."""
    return _is_choice(difference) and UNKNOWN_LETTER in difference.standard.notes and _stored_is_read_text(difference)


def is_letter_against_text(difference: Difference) -> bool:
    """The text read holds the stored letter, and beside it the text of another option."""
    return _is_choice(difference) and CONTRADICTION in difference.standard.notes and _stored_is_read_text(difference)


def is_alternatives(difference: Difference) -> bool:
    """The text read holds the stored letters with an "or" between."""
    return _is_choice(difference) and "alternatives" in difference.standard.notes and _stored_is_read_text(difference)


def is_letter_list(difference: Difference) -> bool:
    """The stored letters are some, but not all, of those that standard read, or none are stored."""
    if BY_TEXT in difference.standard.notes:
        return False
    stored = letters_of(difference.published, difference.asked)
    read = letters_of(difference.standard, difference.asked)
    return stored < read and len(read) > 1 and read <= set(standard_text(difference))


def is_option_text(difference: Difference) -> bool:
    """Standard recognised options by their text."""
    return _is_choice(difference) and BY_TEXT in difference.standard.notes


def is_letters_out_of_words(difference: Difference) -> bool:
    """Standard read no option, and every stored letter occurs somewhere in the tag it looked at."""
    is_unread = _is_choice(difference) and not is_read(difference) and has_stored_answer(difference)
    return is_unread and letters_of(difference.published, difference.asked) <= set(standard_text(difference))


def _stored_is_read_text(difference: Difference) -> bool:
    stored = letters_of(difference.published, difference.asked)
    return bool(stored) and stored <= lone_letters(standard_text(difference))
