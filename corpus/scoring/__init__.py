"""Read an answer, judge it, name the outcome.

Pure Python: no Django, no input or output, no clock. People and models go through the same code.
"""
