"""Which groups are shown, so that nothing smaller can be worked out."""

import numpy as np
import pytest

from leaderboard.disclosure import shown_groups


def groups(*spans: range) -> list[np.ndarray]:
    return [np.array(span) for span in spans]


@pytest.mark.parametrize(
    ("spans", "n", "minimum", "shown"),
    [
        pytest.param([], 3, 2, [], id="no groups"),
        pytest.param([range(6), range(6, 10)], 10, 2, [True, True], id="two large ones"),
        pytest.param([range(2), range(2, 10)], 10, 2, [True, True], id="just large enough"),
        pytest.param([range(2), range(2, 10)], 10, 1, [True, True], id="open"),
        pytest.param([range(1), range(1, 10)], 10, 1, [True, True], id="open, one question"),
        pytest.param([range(1)], 10, 2, [False], id="one question"),
        pytest.param([range(9)], 10, 2, [False], id="all but one"),
        pytest.param([range(1), range(1, 10)], 10, 2, [False, False], id="the set less the other is the one"),
        pytest.param(
            [range(1), range(1, 4), range(4, 10)], 10, 2, [False, False, True], id="the smallest other goes with it"
        ),
        pytest.param([range(1), range(1, 2), range(2, 10)], 10, 2, [False, False, True], id="two hidden ones"),
        pytest.param([range(5), range(4)], 10, 2, [False, True], id="one within another"),
        pytest.param([range(6), range(5, 10)], 10, 2, [True, False], id="the shared one is both less the set"),
        pytest.param([range(4), range(3, 7)], 12, 2, [True, True], id="a shared one that does not follow"),
        pytest.param([range(5), range(5, 9), range(9, 20)], 20, 5, [False, False, True], id="people, the rest of four"),
    ],
)
def test_small_groups_are_hidden_and_cannot_be_worked_out(spans, n, minimum, shown) -> None:
    assert shown_groups(groups(*spans), n=n, minimum=minimum) == shown
