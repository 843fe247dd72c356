"""The part that runs inside the watched program: standard library only, and nothing of stakes.

The program may run on another interpreter and without stakes installed, so these modules import each other
only relatively and are loaded from their folder under whatever name suits.
"""
