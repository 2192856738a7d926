"""The writes of the leaderboard: matrices are built, kept and built again."""

from leaderboard.services.matrices import current_matrix, rebuild_leaderboard

__all__ = ["current_matrix", "rebuild_leaderboard"]
