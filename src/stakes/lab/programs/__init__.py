"""Four programs that fail for many reasons with one message: recorded, learnt from, next to the paper."""
