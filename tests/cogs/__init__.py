"""The bot as people meet it: real discord.py against simcord."""
