"""Data files of the games beside it."""
