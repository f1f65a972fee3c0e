"""Cards, values and rules texts, one TOML file a game."""
