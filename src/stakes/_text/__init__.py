"""Numbers, sentences and pictures for people, and files that are written beside and renamed."""
