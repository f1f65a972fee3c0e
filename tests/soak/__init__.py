"""Many people at many tables at once, for long."""
