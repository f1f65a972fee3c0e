"""Discord in, Discord out: one cog a game, and the shared ones."""
