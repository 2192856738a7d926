"""Readers of other people's result files, one file per format."""
