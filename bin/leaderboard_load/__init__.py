"""Synthetic answers of many systems, and the readers of their board, for `bin/bench.py leaderboard`."""
