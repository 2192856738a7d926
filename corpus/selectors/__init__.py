"""Every read of the question bank that joins or depends on who asks."""
