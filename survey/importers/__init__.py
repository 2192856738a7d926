"""Readers of other surveys' exports, one for each format. Nothing here knows the database."""
