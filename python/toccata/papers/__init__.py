"""The papers' tables and figures compared with our numbers, one module per paper.

Each module has a TITLE. `work(quick)` returns the cells that it needs, and
`report(section, found, quick)` writes the results into the section of the page.
"""
