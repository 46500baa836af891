"""The papers' tables and figures with our numbers beside theirs, one paper a module."""
