"""Lower case without moving a character, so that positions in the folded text are those of the text."""


def lowered(text: str) -> str:
    """Return `text` in lower case, as long as `text`: a sign whose lower case is longer stays as it is."""
    folded = text.lower()
    if len(folded) == len(text):
        return folded
    return "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
