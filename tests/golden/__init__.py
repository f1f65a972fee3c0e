"""Games written down, one for each way a game can end, and states of every version there ever was."""
