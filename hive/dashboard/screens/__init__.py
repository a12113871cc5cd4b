"""Whole screens and dialogs. A dialog asks one thing and returns the answer, or None for a change of mind."""
