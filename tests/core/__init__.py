"""The kernel: randomness, the life of a table, the async door, storage of states."""
