"""Cogs loaded by the bot when this package is named."""
