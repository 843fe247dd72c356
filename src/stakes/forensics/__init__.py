"""CLARIFY: record what a program does, learn what is worth watching, explain its failures."""
