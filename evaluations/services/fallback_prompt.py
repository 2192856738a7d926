"""What a fallback reader is told. It sees the reply and the options, never the question: it reads, it cannot answer."""

from corpus.scoring.types import Asked, Kind

NO_ANSWER = "NO-ANSWER"
LONGEST_REPLY = 20_000
_RULES = (
    "Below is somebody's reply to a question. Report the final answer that the reply itself states. Do not work "
    f"anything out, do not correct it, do not guess. If the reply does not state one final answer, write {NO_ANSWER}."
)
CHOICE_TEMPLATE = (
    _RULES
    + "\n\nThe question offered these options:\n{options}\n\nWrite only the letters of the options that the reply "
    "settles on, separated by commas.\n\nReply:\n<<<\n{reply}\n>>>"
)
NUMBER_TEMPLATE = (
    _RULES + " The answer is a number. Copy it with its power of ten exactly as it is written in the reply, and write "
    "nothing else.\n\nReply:\n<<<\n{reply}\n>>>"
)


def fallback_prompt(*, reply: str, asked: Asked) -> str:
    """Return the prompt for one reply; of a very long one its end."""
    end = reply[-LONGEST_REPLY:]
    if asked.kind is Kind.CHOICE:
        options = "\n".join(f"{option.letter}. {option.text}" for option in asked.shown)
        return CHOICE_TEMPLATE.format(options=options, reply=end)
    return NUMBER_TEMPLATE.format(reply=end)
