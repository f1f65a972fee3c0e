"""What a host needs around the bot: settings, logs, heartbeat, commands on Discord, decks, the check."""
