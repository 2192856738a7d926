"""Every write to the question bank, and the one way a verdict is stored."""
