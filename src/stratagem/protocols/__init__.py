"""Programs' ways of talking to programs."""
