"""The survey's pages."""
