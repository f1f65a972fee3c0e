"""
Tournaments: formats, pairing, points and standings, as a reducer like a game.

`event.advance` takes every input, `orders.orders` says what is wanted of the tables, `clock.deadlines` when
something passes, `status` what to show. `pairing.propose` is the one thing that takes long.
"""
