"""What every estimator stands on: reading training data, saving, folds, and scikit-learn's private names."""
