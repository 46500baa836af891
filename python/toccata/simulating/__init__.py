"""Simulations with SimGrid, and the platforms that they run on."""
