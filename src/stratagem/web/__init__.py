"""Play and analyse in the browser: the server, its pages and their files."""
