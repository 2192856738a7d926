"""Files that bring something to the boards from outside. Pure: nothing is stored here."""
