"""Leave out the turns and tokens of a chat template: what stands before the first end of the reply's turn counts."""

import re

_END = re.compile(
    r"</s>|<\|(?:im_end|eot_id|eom_id|end|endoftext|return|call|END_RESPONSE|END_OF_TURN_TOKEN)\|>|<end_of_turn>|"
    r"<｜end▁of▁sentence｜>|"
    r"(?=\[INST\]|<\|im_start\|>(?:user|system)|<\|start_header_id\|>(?:user|system)|<start_of_turn>user)"
)
_HEADER = re.compile(
    r"(?:\s*(?:<s>|\[/?INST\]|<\|begin_of_text\|>|<bos>|<\|START_OF_TURN_TOKEN\|>|<\|CHATBOT_TOKEN\|>|"
    r"<\|START_RESPONSE\|>|"
    r"<\|im_start\|>(?P<chat>\w{1,12})|<\|start_header_id\|>(?P<head>\w{1,12})<\|end_header_id\|>|"
    r"<start_of_turn>(?P<turn>\w{1,12})|</s>))*"
)
# What every end has in it: searched for first, since that costs next to nothing.
_TOKENS = ("</s>", "<|", "<｜", "<end_of_turn>", "<start_of_turn>", "[INST]")
_STRUCK = re.compile(r"<s>(?!\s{0,3}\[INST\])[^<>]{0,200}\Z")
_OTHERS = frozenset({"user", "system"})


def without_other_turns(text: str) -> str:
    """Return `text` with all but the reply's own turn blanked out, the tokens around it too."""
    if not any(token in text for token in _TOKENS):
        return text
    start = 0
    while True:
        header = _HEADER.match(text, start)
        begin = start if header is None else header.end()
        role = "" if header is None else header["chat"] or header["head"] or header["turn"] or ""
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
