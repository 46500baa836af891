"""Algorithms: their names, those from files, proofs, counts, text of schedules, and the search."""
