"""Leave out the turns and tokens of a chat template: what stands before the first end of the reply's turn counts."""

import re

from corpus.scoring.folding import holds_any

# The tokens that end a turn, between `<|` and `|>`, and those that are written in another way.
_BARRED_ENDS = (
    "im_end", "eot_id", "eom_id", "eot", "EOT", "eom", "end", "endoftext", "end_of_text", "end_of_turn", "eos",
    "return", "call", "END_RESPONSE", "END_OF_TURN_TOKEN", "end_of_solution",
)  # fmt: skip
_OTHER_ENDS = (
    "</s>", "<eos>", "<end_of_turn>", "<end_of_utterance>", "<｜end▁of▁sentence｜>", "[|endofturn|]",
)  # fmt: skip
_ROLE = r"(?:user|system|assistant)"
_END = re.compile(
    rf"<\|(?:{'|'.join(_BARRED_ENDS)})\|>|{'|'.join(re.escape(end) for end in _OTHER_ENDS)}|"
    r"(?=\[INST\]|<\|im_start\|>(?:user|system)|<\|start_header_id\|>(?:user|system)|<start_of_turn>user|"
    rf"<\|{_ROLE}\|>|\[\|{_ROLE}\|\]|<\|start_of_role\|>{_ROLE})"
)
_HEADER = re.compile(
    r"(?:\s*(?:<s>|\[/?INST\]|<\|begin_of_text\|>|<bos>|<\|START_OF_TURN_TOKEN\|>|<\|CHATBOT_TOKEN\|>|"
    r"<\|START_RESPONSE\|>|"
    r"<\|im_start\|>(?P<chat>\w{1,12})|<\|start_header_id\|>(?P<head>\w{1,12})<\|end_header_id\|>|"
    r"<start_of_turn>(?P<turn>\w{1,12})|<\|start_of_role\|>(?P<role>\w{1,12})<\|end_of_role\|>|"
    rf"<\|(?P<barred>{_ROLE})\|>|\[\|(?P<squared>{_ROLE})\|\]|</s>))*"
)
# What every end has in it: searched for first, since that costs next to nothing.
_TOKENS = ("</s>", "<|", "<｜", "[|", "<eos>", "<end_of_", "<start_of_turn>", "[INST]")
_NAMES_OF_ROLES = ("chat", "head", "turn", "role", "barred", "squared")
_STRUCK = re.compile(r"<s>(?!\s{0,3}\[INST\])[^<>]{0,200}\Z")
_OTHERS = frozenset({"user", "system"})


def without_other_turns(text: str) -> str:
    """Return `text` with all but the reply's own turn blanked out, the tokens around it too."""
    if not holds_any(text, _TOKENS):
        return text
    start = 0
    while True:
        header = _HEADER.match(text, start)
        begin = start if header is None else header.end()
        role = "" if header is None else next((name for name in header.group(*_NAMES_OF_ROLES) if name), "")
        end = _end_of_turn(text, begin)
        if end is None:
            return _kept(text, begin, len(text))
        is_own = bool(text[begin : end.start()].strip()) and role not in _OTHERS
        if is_own:
            return _kept(text, begin, end.start())
        if end.end() == start:
            return text
        start = end.end()


def _end_of_turn(text: str, start: int) -> re.Match[str] | None:
    for end in _END.finditer(text, start):
        if end.group() != "</s>" or not _is_struck(text, start, end):
            return end
    return None


def _is_struck(text: str, start: int, end: re.Match[str]) -> bool:
    """Tell whether `</s>` closes words struck out (`<s>A</s> B`)."""
    return _STRUCK.search(text, max(end.start() - 200, start), end.start()) is not None


def _kept(text: str, start: int, end: int) -> str:
    return " " * start + text[start:end] + " " * (len(text) - end)
