"""A person's share of a block: which of its questions they get, so that answers gather evenly.

Pure and vectorised over runs, so that the site (one run) and a simulation (thousands) draw with the same code.
What is promised, and why it holds, is in docs/study-design.md.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# Added to a due date; larger than any.
NOT_YET = 1 << 40
NEVER = 1 << 50


def shares_draw(*, counts: Integers, topic_of: Integers, size: int, keys: Floats, available: Flags) -> Flags:
    """Return which questions the next person of each run gets: flags of shape (runs, questions).

    `counts` (runs, questions) says how often each question was given before, `topic_of` (questions,) numbers its
    topic from 0, `keys` (runs, questions) holds uniform random numbers from 0 to below 1 that break ties, `available`
    (runs, questions) which questions the person may get. Everybody gets `size` of them, or all where there are fewer.
    Each topic gives what `topic_quotas` says, its questions with the lowest counts first.
    """
    members = _membership(topic_of)
    quotas = topic_quotas(
        given=counts @ members,
        sizes=members.sum(axis=0),
        size=size,
        capacity=available.astype(np.int64) @ members,
    )
    chosen = np.zeros(counts.shape, dtype=np.bool_)
    # A key is below 1 and a count is whole, so keys decide between equal counts only.
    order = np.where(available, counts + keys, np.inf)
    for topic in range(members.shape[1]):
        columns = np.flatnonzero(topic_of == topic)
        first = order[:, columns].argsort(axis=1)
        gives = np.arange(columns.size) < quotas[:, topic, np.newaxis]
        np.put_along_axis(chosen, columns[first], gives, axis=1)
    return chosen


def topic_quotas(*, given: Integers, sizes: Integers, size: int, capacity: Integers) -> Integers:
    """Return how many questions each topic gives to the next person of each run, of shape (runs, topics).

    `given` (runs, topics) says how many questions of a topic were given before, `sizes` (topics,) how many it has,
    `capacity` (runs, topics) how many of them the person may get. The j-th question of a topic with n of the N
    questions is due in the turns from (j - 1) N / n + 1, rounded down, to j N / n, rounded up; each turn goes to the
    topic that is due soonest. Where all draws so far counted, this keeps every topic within 1 of its share (R.
    Tijdeman, Discrete Mathematics 32 (1980) 323-330, states the problem); where not, what is overdue comes first.
    """
    quotas = np.zeros_like(given)
    total = int(sizes.sum())
    runs = np.arange(given.shape[0])
    turn = given.sum(axis=1, keepdims=True)
    for _ in range(size):
        turn = turn + 1
        reached = given + quotas
        due = -(-(reached + 1) * total // sizes)
        # Not yet due comes after everything due; what cannot be given comes last.
        late = np.where(sizes * turn > reached * total, 0, NOT_YET) + np.where(quotas < capacity, 0, NEVER)
        topic = (due + late).argmin(axis=1)
        quotas[runs, topic] += quotas[runs, topic] < capacity[runs, topic]
    return quotas


def _membership(topic_of: Integers) -> Integers:
    """Return a matrix of shape (questions, topics): 1 where a question belongs to a topic."""
    return (topic_of[:, np.newaxis] == np.arange(int(topic_of.max()) + 1)).astype(np.int64)
