"""The games. Each folder holds kernels.py (rules), game.py (the face for people), view.py (the drawing) and players.py."""
