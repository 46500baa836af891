"""The commands, one a file: their options, and what they print of what the other modules do."""
