"""Classic Risk for 2 to 6 players: draft, cards, dice and conquest."""
