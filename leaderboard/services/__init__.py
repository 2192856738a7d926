"""The writes of the leaderboard: matrices are built, kept and built again; boards are published as snapshots."""

from leaderboard.services.matrices import current_matrix, rebuild_leaderboard, stale_matrices_delete

__all__ = ["current_matrix", "rebuild_leaderboard", "stale_matrices_delete"]
