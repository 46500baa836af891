"""Algorithms: names, files with algorithms, proofs, counts, schedules as text, and the search."""
