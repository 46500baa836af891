"""The papers' tables and figures with our numbers beside theirs, one paper a module.

Each has a TITLE; `work(quick)`, the cells that it needs; and `report(section, found, quick)`, which
fills the section of the page with what was found.
"""
