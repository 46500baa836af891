"""Pictures. Every module has a function `draw`, which returns a figure; they import matplotlib."""
