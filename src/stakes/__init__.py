"""Cost-sensitive classification: trees, rules and ensembles that keep the bill small."""
