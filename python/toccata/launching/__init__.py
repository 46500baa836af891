"""Programs under MPI: launchers, command lines, the preloaded library, and reports of runs."""
