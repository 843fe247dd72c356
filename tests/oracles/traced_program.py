"""A program with every way into and out of a function, for two tracers to agree on."""

import contextlib
import functools
import random


def leaf():
    return 1


def generator(n):
    for i in range(n):
        yield leaf() + i


def delegating(n):
    yield from generator(n)
    return 3


def closing():
    try:
        yield 1
        yield 2
    finally:
        leaf()


@contextlib.contextmanager
def context():
    leaf()
    yield
    leaf()


class Thing:
    """Calls that no source line spells as a call."""

    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        leaf()
        return Thing(self.n + other.n)

    @property
    def value(self):
        return leaf() and self.n

    @functools.cached_property
    def cached(self):
        return self.value

    def __iter__(self):
        return generator(self.n)

    def __del__(self):
        leaf()


def fails(depth):
    if depth == 0:
        raise KeyError(depth)
    with context():
        fails(depth - 1)


async def coroutine(n):
    if n:
        await coroutine(n - 1)
    return leaf()


def drive(coro):
    try:
        while True:
            coro.send(None)
    except StopIteration:
        pass


def step(rng):
    choice = rng.randrange(9)
    if choice == 0:
        list(generator(rng.randrange(4)))
    elif choice == 1:
        list(delegating(rng.randrange(4)))
    elif choice == 2:
        one = closing()
        next(one)
        one.close()
    elif choice == 3:
        with contextlib.suppress(KeyError):
            fails(rng.randrange(4))
    elif choice == 4:
        total = Thing(1) + Thing(2)
        total.cached, total.cached, total.value, list(total)
    elif choice == 5:
        drive(coroutine(rng.randrange(3)))
    elif choice == 6:
        sorted([3, 1, 2], key=lambda n: leaf() and -n)
    elif choice == 7:
        one = closing()
        next(one)
        with contextlib.suppress(KeyError):
            one.throw(KeyError)
    else:
        step(rng)


if __name__ == "__main__":
    rng = random.Random(5)
    for _ in range(400):
        step(rng)
