"""Numbers, sentences and pictures for people."""
