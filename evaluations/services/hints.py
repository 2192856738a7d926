"""What a maintainer can do about a reply that is no answer."""

from collections.abc import Mapping
from typing import Any

from evaluations.providers import FinishReason, Reply
from evaluations.providers.lessons import TOKEN_LIMITS


def truncation_hint(parameters: Mapping[str, Any], reply: Reply) -> str:
    """Return a sentence beside a reply that was cut off, "" for any other: what used up the limit, what to raise."""
    if reply.finish_reason is not FinishReason.LENGTH:
        return ""
    name = next((name for name in TOKEN_LIMITS if parameters.get(name)), "")
    remedy = f"raise {name} (now {parameters[name]})" if name else "set a higher limit of tokens in its parameters"
    if reply.text.strip():
        return f"The reply was cut off at the limit of tokens; {remedy}."
    spent = f" ({reply.tokens_reasoning} tokens)" if reply.tokens_reasoning else ""
    on_what = f"reasoning{spent}" if spent or reply.reasoning else "the reply"
    return f"The limit of tokens was used up by {on_what} before any answer; {remedy}."
