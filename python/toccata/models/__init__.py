"""Cost models: predictions, fits to measured and recorded times, and mappings of ranks."""
