"""Notice that this process should end, instead of ending at once."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def noticed_stop_signals() -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether SIGTERM or SIGINT came; outside the main thread nothing is noticed."""
    came = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield came.is_set
        return

    def notice(number: int, frame: FrameType | None) -> None:
        came.set()

    before = {number: signal.signal(number, notice) for number in _SIGNALS}
    try:
        yield came.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
