"""Machines, networks and placements: their readers, trees of text, and lower bounds."""
