"""The sandbox as a newcomer meets it: in a real browser."""
