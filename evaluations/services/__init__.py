"""Every write of the evaluations: runs, claims on their items, answers and failures."""
