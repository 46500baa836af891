"""The papers' tables and figures compared with our numbers, one module per paper.

Each has a TITLE; `work(quick)`, the cells that it needs; and `report(section, found, quick)`, which
writes the results into the section of the page.
"""
