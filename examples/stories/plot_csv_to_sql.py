"""
From a CSV file to SQL
======================

Somebody sends a file of loans, and says what a mistake costs. At the end a database answers for new loans by
itself, and what it answers is what the model answers. Everything on this page is run when the page is made.
"""

# sphinx_gallery_thumbnail_path = 'generated/images/german.svg'

import csv
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

folder = Path(tempfile.mkdtemp())


def shell(line):
    """Run a command of stakes in the folder, as one would in a terminal, and print what it says."""
    words = [sys.executable, "-m", *line.split()]
    screen = os.environ | {"COLUMNS": "92", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(words, cwd=folder, env=screen, capture_output=True, encoding="utf-8", check=True)
    print(f"$ {line}\n{done.stdout}")


# %%
# The file
# --------
#
# It is made up here, 1,600 loans of a small bank. Now and then nobody wrote down the income. Which loans
# fail depends on the columns, but not on them alone.

rng = np.random.default_rng(7)
n = 1600
age = rng.integers(18, 75, n)
income = np.round(rng.lognormal(10.2, 0.5, n), -2)
amount = np.round(rng.lognormal(8.6, 0.7, n), -2)
months = rng.choice([12, 24, 36, 48, 60], n)
job = rng.choice(["employed", "self-employed", "retired", "none"], n, p=[0.6, 0.18, 0.15, 0.07])
before = rng.choice(["none", "repaid", "late"], n, p=[0.5, 0.35, 0.15])

burden = 12 * amount / months / income
risk = -3.4 + 5 * burden + 1.3 * (before == "late") + 1.2 * (job == "none") + 0.6 * (job == "self-employed")
risk += 0.9 * (age < 25) - 0.6 * (before == "repaid")
failed = rng.random(n) < 1 / (1 + np.exp(-risk))
missing = rng.random(n) < 0.05

names = ["age", "income", "amount", "months", "job", "before", "outcome"]
rows = [
    [age[i], "" if missing[i] else income[i], amount[i], months[i], job[i], before[i], outcome]
    for i, outcome in enumerate(np.where(failed, "failed", "repaid"))
]
for name, part in (("loans.csv", rows[:1000]), ("last_month.csv", rows[1000:])):
    with open(folder / name, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *part])

# %%
# What a mistake costs is a file as well. A loan that fails costs the bank ten times what it earns on a good
# one that it turned away. Rows are what is true, columns what the model says.

with open(folder / "costs.csv", "w", encoding="utf-8") as file:
    print("actual\\predicted,failed,repaid", "failed,0,10", "repaid,1,0", sep="\n", file=file)

# %%
# Look first
# ----------
#
# ``describe`` reads the costs back in words, which is how one finds a table that is the wrong way round, and
# says what always giving the same answer costs. That is what a model has to beat.

shell("stakes describe loans.csv --target outcome --costs costs.csv")

# %%
# Learn
# -----
#
# A small tree, searched by evolution. ``fit`` cross-validates it, and would keep the constant answer where
# that is no costlier. The ensemble beside it says what a tree leaves on the table.

shell("stakes fit loans.csv --target outcome --costs costs.csv --learner gdt -o tree.json")
shell("stakes fit loans.csv --target outcome --costs costs.csv --learner boosted -o boosted.json")
shell("stakes show tree.json")

# %%
# Try it on last month's loans
# ----------------------------
#
# No model has seen these. The best constant stands next to the tree's bill.

shell("stakes evaluate last_month.csv --model tree.json --target outcome --costs costs.csv")

# %%
# The report is one HTML file to send to whoever has to agree: the bill, the tree to unfold, and a slider
# that asks what if a failed loan costs something else.

shell("stakes report tree.json last_month.csv --target outcome --costs costs.csv --noun loan -o report.html")
print(f"report.html has {(folder / 'report.html').stat().st_size // 1024} KB and loads nothing")

# %%
# Into the database
# -----------------
#
# The tree as a query. Nothing of stakes is needed where it runs. Below what is shown here stand the shares
# that a loan with a missing value has in each leaf.

shell("stakes export tree.json --to sql --table loans --column answer -o tree.sql")
query = (folder / "tree.sql").read_text(encoding="utf-8")
print(query.split("\n  END,\n")[0], "\n  END,\n  ...")

# %%
# SQLite has no types that stand in the way: an income that nobody wrote down is NULL.

database = sqlite3.connect(folder / "bank.db")
database.execute("CREATE TABLE loans (age INT, income REAL, amount REAL, months INT, job TEXT, before TEXT)")
with open(folder / "last_month.csv", newline="", encoding="utf-8") as file:
    new = [[value or None for value in row[:-1]] for row in list(csv.reader(file))[1:]]
database.executemany("INSERT INTO loans VALUES (?, ?, ?, ?, ?, ?)", new)
from_database = [row[-1] for row in database.execute(query)]

# %%
# The same rows, answered by stakes: not one differs, those without an income included.

shell("stakes predict tree.json last_month.csv -o answers.csv")
with open(folder / "answers.csv", newline="", encoding="utf-8") as file:
    from_stakes = [row["prediction"] for row in csv.DictReader(file)]

different = sum(a != b for a, b in zip(from_database, from_stakes, strict=True))
print(f"{len(from_stakes)} loans, {sum(row[1] is None for row in new)} of them without an income")
print(f"answered otherwise by the database: {different}")
assert different == 0

# %%
# What is left
# ------------
#
# Once the outcomes of a month are known, ``stakes evaluate`` says what the answers cost. When the costs
# change, export again: the tree may stay, but ``stakes fit`` with the new costs finds a better one.
# :doc:`Deployment </guide/deployment>` has more, and :doc:`abstaining </guide/abstaining>` lets a person
# look at the loans that are not clear.
