"""The places where a reply states its answer, strongest first: each a small piece, registered by name.

A prompt style may name the protocols it asks for (`Asked.protocols`); without names, all are tried in this order.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from corpus.scoring.choices import LETTER_AND_TEXT
from corpus.scoring.conclusions import concluding_value, has_conclusion, last_statement, sole_statement
from corpus.scoring.contents import (
    Content,
    goes_through_options,
    is_before_another,
    long_letters,
    read_content,
    read_reasoned,
    read_stated,
)
from corpus.scoring.corrected import WITHDRAWN, is_said_again, read_correction
from corpus.scoring.cues import (
    HASHES,
    has_new_speaker,
    last_announced,
    last_final,
    last_heading,
)
from corpus.scoring.denials import DENIED, is_denied_place, is_taken_back
from corpus.scoring.echoes import ECHOED_OPTIONS
from corpus.scoring.found import Found, ReadProtocol, found_at, united
from corpus.scoring.json_objects import answer_of_object, start_of_last_object
from corpus.scoring.lists import UNREAD_LIST
from corpus.scoring.numbers import SEVERAL_NUMBERS
from corpus.scoring.option_texts import BY_TEXT, option_texts
from corpus.scoring.outside import with_outside
from corpus.scoring.picked import picked_words
from corpus.scoring.reasons import last_conclusion
from corpus.scoring.statements import called_correct, only_statement
from corpus.scoring.tagged import read_tagged
from corpus.scoring.tags import Located, last_boxes
from corpus.scoring.types import Asked, Kind, Unread

MAX_BARE_LENGTH = 400


class UnknownProtocolError(LookupError):
    """No protocol of that name is registered."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """One place of an answer: its name, a sentence for people, and the function that reads it.

    `is_marked` is true for the places that are made for an answer alone, such as a tag or a heading.
    """

    name: str
    definition: str
    read: ReadProtocol
    is_marked: bool = False


def read_boxed(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read the last closed box, or several joined by commas and `and`."""
    if "boxed" not in text:
        return None
    boxes = last_boxes(text)
    if not boxes:
        return None
    opening = text.rfind("\\", 0, boxes[0].start)
    if is_denied_place(text, opening, asked.prompt):
        return found_at(text, boxes[-1], Unread("The words before the box deny it.", DENIED))
    found = [found_at(text, box, read_content(text[box.start : box.end], asked)) for box in boxes]
    whole = with_outside(text, opening, boxes[-1].end + 1, united(text, boxes, found, asked), asked)
    return read_correction(text, boxes[-1].end + 1, asked, whole.content, is_direct=True) or whole


def read_final(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read what stands behind the last `FINAL ANSWER:`."""
    located = last_final(text)
    if located is None or (is_cut and not located.is_complete) or not text[located.start : located.end].strip():
        return None
    located, content = _read_announced_again(text, *read_stated(text, located, asked), asked)
    if located.form == HASHES and isinstance(content, Unread):
        return None
    return _read_behind(text, located, content, asked) or found_at(text, located, content)


def _read_announced_again(
    text: str, located: Located, content: Content | Unread, asked: Asked
) -> tuple[Located, Content | Unread]:
    """Read `Final Answer: The final answer is $B$. I hope it is correct.` by what is announced behind the label."""
    if isinstance(content, Content) or content.note:
        return located, content
    inner = text[located.start : located.end]
    announced = last_announced(inner, is_number=asked.kind is Kind.NUMBER, prompt=asked.prompt)
    if announced is None:
        return located, content
    within, read = read_stated(inner, announced, asked)
    if isinstance(read, Unread):
        return located, read
    start = located.start
    return located._replace(start=start + within.start, end=start + within.end), read


_FIRST_SENTENCE = re.compile(r"\n|[.!?…](?=\s)")


def _read_behind(text: str, located: Located, content: Content | Unread, asked: Asked) -> Found | None:
    """Read what stands behind an answer on a line, or behind its first sentence, and replaces it."""
    first = _FIRST_SENTENCE.search(text, located.start, located.end) if located.form != "sentence" else None
    behind = located.end if first is None else first.start()
    return read_correction(text, behind, asked, content, is_direct=True)


def read_heading(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read the first line under the last heading `Answer`; a line of prose there is left to the other protocols."""
    located = last_heading(text)
    if located is None or (is_cut and not located.is_complete):
        return None
    located, content = read_stated(text, located, asked)
    if isinstance(content, Unread) and not content.note:
        return None
    return _read_behind(text, located, content, asked) or found_at(text, located, content)


_FENCE = "```"


def read_json(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read the member `answer` of the JSON object that the reply is or ends with, or of its last fenced block."""
    if "{" not in text:
        return None
    end = text.rfind(_FENCE)
    start = text.rfind(_FENCE, 0, max(end, 0))
    located = Located(start, end + len(_FENCE), "JSON object")
    if start < 0:
        located = Located(start_of_last_object(text), len(text.rstrip()), "JSON object")
    inner = text[located.start : located.end]
    if not inner.startswith(("{", _FENCE)) or not isinstance(answer_of_object(inner), str):
        return None
    return found_at(text, located, read_content(inner, asked))


_ANSWER_LABEL = re.compile(r"(?:^|[\s#*])answer\s?:[\s*]*\Z", re.IGNORECASE)
_LABEL_LENGTH = 40


def is_continued(prompt: str) -> bool:
    """Tell whether a reply goes on from the label with which the prompt ends."""
    return _ANSWER_LABEL.search(prompt[-_LABEL_LENGTH:]) is not None


def read_continuation(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read the line by which a reply goes on from a prompt that ends in `Answer:`, more text following it.

    What is announced later replaces it; an explanation that announces nothing does not.
    """
    end = text.find("\n")
    if not 0 < end <= MAX_BARE_LENGTH or not is_continued(asked.prompt):
        return None
    content = read_content(text[:end], asked)
    if isinstance(content, Unread) or _is_replaced(text[end:], content, asked):
        return None
    return found_at(text, Located(0, end, "continued prompt"), content)


# A later announcement without words that could be read, or of nothing but the options, replaces nothing.
_NO_CHOICE = ("", ECHOED_OPTIONS)


def _is_replaced(later: str, content: Content, asked: Asked) -> bool:
    """Tell whether `later` announces an answer, or a new speaker's text does not end on the number of `content`."""
    announced = read_announced(later, asked, False)
    if announced is not None and (isinstance(announced.content, Content) or announced.content.note not in _NO_CHOICE):
        return True
    if not has_new_speaker(later):
        return False
    last = last_statement(later)
    stated = None if last is None else read_content(later[last.start : last.end], asked)
    return not isinstance(stated, Content) or stated.number != content.number


def read_announced(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read what the last announcement announces."""
    located = last_announced(text, is_number=asked.kind is Kind.NUMBER, prompt=asked.prompt)
    if located is None or (is_cut and not located.is_complete):
        return None
    if not text[located.start : located.end].strip():
        return None
    located, content = read_stated(text, located, asked)
    if isinstance(content, Unread) and not content.note and _is_option(text, asked):
        return None
    if isinstance(content, Content) and (behind := _read_behind(text, located, content, asked)) is not None:
        return behind
    if isinstance(content, Content) and _is_withdrawn(text, located, content, asked):
        content = Unread("What is announced is taken back right behind it.", WITHDRAWN)
    elif isinstance(content, Content) and _is_one_of_several(text, located, content, asked):
        content = Unread("Several answers are announced, and only one can be read.", UNREAD_LIST)
    return None if is_cut and not located.is_complete else found_at(text, located, content)


def _is_withdrawn(text: str, located: Located, content: Content, asked: Asked) -> bool:
    if " or rather " in text[located.start : located.end]:
        return True
    rest = text[located.end :]
    return is_taken_back(rest[:MAX_BARE_LENGTH]) and not is_said_again(rest, asked, content)


_PLURAL = re.compile(r"(?:answers|options|choices|letters|statements)\s{1,2}are[\s:*_]{0,6}\Z", re.IGNORECASE)
_PLURAL_LENGTH = 30
_FOLLOWING_LETTER = re.compile(r"[.)*_\s]{1,4}\(?(?P<letter>[A-Z]{1,2})(?=[.,;)*_\s]|$)")
_JOINED_LETTER = re.compile(
    r"(?:\b(?:and|or|plus|as\swell\sas)|[,;&])\s{1,2}(?:[Oo]ption\s)?\(?([A-Z])(?![A-Za-z0-9'’])"
)


def _is_one_of_several(text: str, located: Located, content: Content, asked: Asked) -> bool:
    """Tell whether `The correct answers are A. Wood alcohol and C. ...` names more letters than were read."""
    if asked.kind is not Kind.CHOICE:
        return False
    if len(content.option_keys) != 1 or not _PLURAL.search(text, max(located.start - _PLURAL_LENGTH, 0), located.start):
        return False
    line = text[located.start : located.start + MAX_BARE_LENGTH].partition("\n")[0]
    others = {option.letter for option in asked.shown if option.key not in content.option_keys}
    following = _FOLLOWING_LETTER.match(text, located.end)
    if following is not None and following["letter"] in others:
        return True
    return any(match.group(1) in others for match in _JOINED_LETTER.finditer(line))


def _is_option(text: str, asked: Asked) -> bool:
    """Tell whether the whole reply is an option's text, which may sound like an announcement."""
    is_short = asked.kind is Kind.CHOICE and len(text) <= MAX_BARE_LENGTH
    return is_short and option_texts(asked.shown).read_whole(text) is not None


# A number that is asked about (`5? I am not sure.`).
_ASKED_NUMBER = re.compile(r"[0-9]\?\s{1,3}[A-Z]")


def read_bare(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read a reply that is nothing but the answer."""
    if is_cut or len(text.strip()) > MAX_BARE_LENGTH:
        return None
    if asked.kind is Kind.NUMBER and "=" in text and has_conclusion(text):
        return None
    located = Located(0, len(text), "bare reply")
    content = _read_spoken(text, asked) or read_reasoned(text, asked)
    if isinstance(content, Content) and asked.kind is Kind.NUMBER and _ASKED_NUMBER.search(text):
        return None
    if isinstance(content, Content) and (behind := _read_behind(text, located, content, asked)) is not None:
        return behind
    if isinstance(content, Content) and _is_list_of_all(content, asked):
        content = Unread("The options are repeated, and none is chosen.", ECHOED_OPTIONS)
    is_longer_text = asked.kind is Kind.NUMBER and ("\n" in text.strip() or has_conclusion(text))
    if isinstance(content, Unread) and (is_longer_text or not content.note):
        return None
    return found_at(text, located, content)


_SPOKEN = re.compile(
    r"\s{0,8}(?:(?:so|thus|hence|therefore|probably|likely|definitely),?"
    r"|I(?:['’]ll|['’]d|\swill|\swould)\s(?:go\swith|say|answer|pick|choose)|I(?:['’]m|\sam)\sgoing\swith|I\sgot)\s(?=\S)",
    re.IGNORECASE,
)


def _read_spoken(text: str, asked: Asked) -> Content | None:
    """Read the number behind the words of a reply of one line (`So 42 g.`, `I'll go with 42.`)."""
    spoken = _SPOKEN.match(text)
    if asked.kind is not Kind.NUMBER or spoken is None or "\n" in text.strip():
        return None
    content = read_content(text[spoken.end() :], asked)
    return content if isinstance(content, Content) else None


def _is_list_of_all(content: Content, asked: Asked) -> bool:
    """Tell whether every option was named with its own text or by it."""
    return bool({LETTER_AND_TEXT, BY_TEXT}.intersection(content.notes)) and 2 < len(asked.shown) == len(
        content.option_keys
    )


def read_conclusion(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read the number that the last sentence concludes with."""
    if asked.kind is not Kind.NUMBER or is_cut:
        return None
    located = concluding_value(text) or sole_statement(text)
    if located is None:
        return None
    content = read_content(text[located.start : located.end], asked)
    return None if isinstance(content, Unread) else found_at(text, located, content)


def read_statement(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read the only letters, or the only option's own text, that the reply calls correct or says it would choose."""
    if asked.kind is not Kind.CHOICE or is_cut:
        return None
    located = only_statement(text, long_letters(asked), asked.prompt)
    if located is None:
        return _read_called_correct(text, asked) or _read_picked_words(text, asked)
    content = read_content(text[located.start : located.end], asked)
    return None if isinstance(content, Unread) else found_at(text, located, content)


def _read_called_correct(text: str, asked: Asked) -> Found | None:
    """Read `Ethanol is the correct answer.` where every such sentence names the same option by its whole text."""
    places = called_correct(text)
    texts = option_texts(asked.shown)
    positions = {texts.position_of(words) for words in {text[place.start : place.end] for place in places}}
    position = positions.pop() if len(positions) == 1 else None
    concluded = last_conclusion(text)
    if position is None or (concluded is not None and concluded.start >= places[-1].end):
        return None
    return found_at(text, places[-1], Content(option_keys=(asked.shown[position].key,), notes=(BY_TEXT,)))


def _read_picked_words(text: str, asked: Asked) -> Found | None:
    """Read `I'll go with ethanol.` at the end of a reply that calls nothing correct."""
    located = picked_words(text)
    position = None if located is None else option_texts(asked.shown).position_of(text[located.start : located.end])
    if located is None or position is None or called_correct(text):
        return None
    return found_at(text, located, Content(option_keys=(asked.shown[position].key,), notes=(BY_TEXT,)))


def read_first_line(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read a reply whose first line is nothing but the answer, an explanation following."""
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    if end < 0 or end - start > MAX_BARE_LENGTH or "=" in text[start:end]:
        return None
    content = read_reasoned(text[start:end], asked)
    if isinstance(content, Unread) or goes_through_options(text, start, asked):
        return None
    corrected = read_correction(text, end, asked, content, is_direct=True)
    if corrected is None and is_before_another(content, text[end:], asked):
        content = Unread("Another number stands on the lines below.", SEVERAL_NUMBERS)
    return corrected or found_at(text, Located(start, end, "first line"), content)


PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            "tag", "Between answer tags, misspelt or half-written ones too; the last complete one.", read_tagged, True
        ),
        Protocol("boxed", "In a LaTeX box; the last one that is closed.", read_boxed, True),
        Protocol(
            "final-answer", "Behind the label “FINAL ANSWER:”, on its line or the next; the last one.", read_final, True
        ),
        Protocol(
            "heading", "On the first line under a heading “Answer” or “Final Answer”; the last one.", read_heading, True
        ),
        Protocol("json", "The member `answer` of a JSON object, fenced, the whole reply or its end.", read_json, True),
        Protocol(
            "continuation",
            "On the line by which the reply goes on from a prompt ending in “Answer:”.",
            read_continuation,
        ),
        Protocol(
            "announced", "Announced in words: “Answer: C”, “The correct answer is C”; the last one.", read_announced
        ),
        Protocol("bare", "The reply is nothing but the answer.", read_bare),
        Protocol("conclusion", "A number that the last sentence concludes with (“Therefore ...”).", read_conclusion),
        Protocol("statement", "The only letters called correct: “B is the correct answer”.", read_statement),
        Protocol("first-line", "The first line is nothing but the answer, an explanation follows.", read_first_line),
    )
}
_ALL = tuple(PROTOCOLS.values())


def protocol_names() -> tuple[str, ...]:
    """Return every registered protocol, strongest first."""
    return tuple(PROTOCOLS)


def chosen_protocols(names: Iterable[str]) -> tuple[Protocol, ...]:
    """Return the protocols of `names` in the order of their strength, all for none.

    Raise `UnknownProtocolError` for a name that is not registered.
    """
    wanted = set(names)
    if not wanted:
        return _ALL
    unknown = sorted(wanted.difference(PROTOCOLS))
    if unknown:
        raise UnknownProtocolError(f"There is no protocol {unknown[0]!r}. Registered: {', '.join(PROTOCOLS)}.")
    return tuple(protocol for protocol in _ALL if protocol.name in wanted)
