"""Tuning files: how they are measured, read, shown and exported."""
