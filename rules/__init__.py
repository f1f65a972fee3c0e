"""The games and what carries them. Knows no Discord, no SQL and no wall clock."""
