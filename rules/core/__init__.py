"""The kernel: the contract of a game, randomness, tables, computer players, discovery."""
