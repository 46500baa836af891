"""Machines, networks and placements: readers, text as trees, packed trees, and lower bounds."""
