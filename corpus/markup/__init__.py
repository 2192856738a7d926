"""Chemistry markup: one parser, HTML for people, text for models, and a lint."""
