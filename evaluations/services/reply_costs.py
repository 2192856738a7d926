"""What a reply took and cost, from counts that an adapter reports and nobody vouches for."""

from decimal import Decimal

from evaluations.providers import ProviderError, Reply
from evaluations.services.costs import Prices, TokenCounts, call_cost, failed_call_cost, total_cost

_LARGEST_INTEGER = 2**31 - 1


def whole_count(value: object) -> int | None:
    """Return a count that fits its column; adapters are not trusted to send a number at all."""
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return int(value) if is_count and 0 <= value <= _LARGEST_INTEGER else None  # type: ignore[call-overload, operator]


def reply_cost(*, prices: Prices, reply: Reply) -> Decimal | None:
    """Return what a reply cost, the sum of its turns where it took several; None where that cannot be told."""
    if reply.charged:
        return total_cost([reply_cost(prices=prices, reply=each) for each in reply.charged])
    # Nobody writes a text from nothing: where one is there, a count of 0 says that nobody counted.
    has_text = bool(reply.text or reply.reasoning)
    sent, received = whole_count(reply.tokens_in), whole_count(reply.tokens_out)
    tokens = TokenCounts(
        sent=(sent or None) if has_text else sent,
        received=(received or None) if has_text else received,
        cached=whole_count(reply.tokens_cached),
        reasoning=whole_count(reply.tokens_reasoning),
    )
    return call_cost(prices=prices, tokens=tokens)


def failure_cost(*, prices: Prices, error: ProviderError) -> Decimal | None:
    """Return what a failed question cost, with the turn that was answered before it failed; None where unknown.

    A call that failed after the system had accepted it cost what it took; where that is not told, nobody knows.
    """
    if error.taken is None:
        failed = failed_call_cost(prices=prices, code=error.code)
    else:
        failed = reply_cost(prices=prices, reply=error.taken)
    answered = Decimal(0) if error.earlier is None else reply_cost(prices=prices, reply=error.earlier)
    return total_cost([failed, answered])
