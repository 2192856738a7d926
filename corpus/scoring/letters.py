"""Option letters: A to Z, then AA, AB, ... as in a spreadsheet."""

from functools import cache

ALPHABET_SIZE = 26


@cache
def option_letter(index: int) -> str:
    """Return the letter of the option at `index` (0 is A, 25 is Z, 26 is AA). Refuse a negative index."""
    if index < 0:
        raise ValueError(f"An option index starts at 0; got {index}.")
    letters = ""
    remaining = index + 1
    while remaining:
        remaining, place = divmod(remaining - 1, ALPHABET_SIZE)
        letters = chr(ord("A") + place) + letters
    return letters


def letter_index(letter: str) -> int:
    """Return the index of an option letter (A is 0, AA is 26). Refuse anything but the letters A to Z."""
    if not (letter.isascii() and letter.isalpha()):
        raise ValueError(f"An option letter is made of A to Z; got {letter!r}.")
    position = 0
    for character in letter.upper():
        position = position * ALPHABET_SIZE + ord(character) - ord("A") + 1
    return position - 1
