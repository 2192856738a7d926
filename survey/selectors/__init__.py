"""Every read of the survey that joins or depends on who asks."""
