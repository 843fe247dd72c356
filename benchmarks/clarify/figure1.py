"""Figure 1 of Davis et al. (2006) for four Python programs; writes results/clarify.md.

    python benchmarks/clarify/figure1.py --cache FOLDER [--python python3.12] [--programs pip jinja2] [--record-only]

The same as `stakes reproduce davis2006 --figure 1`, with more to choose from. What was recorded or learnt before is in the cache.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from programs.collect import PROGRAMS, collect
from programs.figure import rows
from programs.page import page

RESULTS = Path(__file__).parents[1] / "results" / "clarify.md"
#: Seconds between two lines about how far it is.
EVERY = 20.0


class Said:
    """Says now and then how far it is."""

    last = ""
    when = 0.0

    def __call__(self, done: int, total: int, what: str) -> None:
        if what != self.last or time.monotonic() - self.when > EVERY:
            print(f"{what}: {done} of {total}", file=sys.stderr, flush=True)
            self.last, self.when = what, time.monotonic()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--cache", type=Path, required=True, help="environments, inputs, profiles and finished rows"
    )
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, choices=PROGRAMS)
    parser.add_argument("--inputs", type=int, default=30, help="different inputs per cause")
    parser.add_argument("--python", help="interpreter of the programs")
    parser.add_argument("--record-only", action="store_true", help="learn nothing yet")
    args = parser.parse_args()
    options = {"python": args.python, "inputs": args.inputs, "progress": Said()}
    if args.record_only:
        for name in args.programs:
            collect(name, args.cache.resolve(), **options)
        return
    RESULTS.write_text(page(rows(args.cache, programs=args.programs, **options)), encoding="utf-8")
    print(RESULTS)


if __name__ == "__main__":
    main()
