"""Two players, one after another: alpha-beta with a table, and the solver that proves results."""
