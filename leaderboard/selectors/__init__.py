"""Every read the boards are made of."""
