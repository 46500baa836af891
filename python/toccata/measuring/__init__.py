"""The benchmark programs, and the tables of their results."""
