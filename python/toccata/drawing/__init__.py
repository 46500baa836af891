"""Figures. Most modules have a function `draw`, which returns a figure. All import matplotlib."""
