"""The data sets, splits and published figures of the rules benchmark."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import ShuffleSplit

from stakes import datasets
from stakes.table import Table

N_SPLITS = 10
T_GOOD_VALUES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]

#: Our name of each data set of the paper's Tables I and II: accuracy of CN2 there, and of the paper's algorithm its accuracy on
#: decided rows and the share of undecided ones for the cut-offs .1 to .9, in percent. Figures of the paper.
PAPER = {
    "australian": ("Australian credit", 84.01, [86.99, 85.82, 85.01, 83.39, 84.74, 84.03, 85.57, 84.66, 84.37], [12.11, 8.84, 4.13, 1.82, 0.14, 0, 0, 0, 0]),
    "breast-w": ("breast cancer", 94.43, [96.35, 95.29, 94.82, 95.45, 97.15, 97.15, 94.78, 94.78, 94.78], [1.32, 0.18, 0.18, 0, 0, 0, 0, 0, 0]),
    "heart-cleveland": ("Cleveland heart", 81.98, [78.53, 79.64, 79.13, 78.01, 80.24, 81.9, 79.75, 76.63, 74.56], [6.3, 3.91, 2.6, 1.63, 0.43, 0.32, 0.1, 0, 0]),
    "hepatitis": ("hepatitis", 82.55, [84.29, 83.94, 82.29, 81.77, 83.63, 81.94, 81.92, 83.27, 82.08], [4.38, 3.27, 2.17, 1.57, 1.27, 0.29, 0.42, 0, 0]),
    "iris": ("iris", 95.56, [100, 100, 95.55, 95.55, 95.55, 95.55, 95.55, 95.55, 95.55], [18.88, 4.44, 0, 0, 0, 0, 0, 0, 0]),
    "labor": ("labor", 82.94, [92.78, 92.61, 90.16, 89.47, 96.11, 77.77, 77.77, 77.77, 72.22], [8.33, 2.77, 3.88, 5, 0, 0, 0, 0, 0]),
    "heart-statlog": ("Statlog heart", 81.98, [78.99, 76.81, 77.88, 75.18, 72.4, 74.28, 75.67, 76.17, 71.35], [5.43, 2.46, 0.61, 2.96, 1.11, 0.12, 0, 0, 0]),
    "diabetes": ("Pima", 75.24, [86.33, 85.54, 85.26, 84.22, 83.98, 80.64, 79.12, 78.3, 76.62], [51.86, 47.87, 43.89, 30.3, 25.1, 12.98, 6.06, 0.43, 0]),
    "sonar": ("sonar", 78.57, [80.53, 80.91, 81.14, 80.38, 81.09, 81.12, 81.24, 78.15, 72.87], [5.03, 3.81, 3.31, 1.53, 1.15, 1.15, 0.31, 0.15, 0]),
    "waveform": ("waveform", 80.79, [90.5, 86.79, 83.8, 82.08, 81.05, 78.73, 72.16, 66.69, 65.94], [63.98, 29.46, 9.64, 2.65, 0.38, 0.12, 0.07, 0, 0]),
}  # fmt: skip

#: Share of each class decided rightly in the paper's Tables III and IV, for these cost ratios of the two classes. Figures of
#: the paper.
RATIOS = [(5, 1), (4, 1), (3, 1), (2, 1), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5)]
PAPER_COSTS = {
    "australian": {"0": [.93, .92, .85, .94, .87, .79, .44, .32, .4], "1": [.56, .61, .77, .7, .78, .91, .96, .94, .92]},
    "sonar": {"Rock": [.83, .91, .89, .89, .8, .82, .61, .53, .59], "Mine": [.68, .54, .62, .58, .77, .8, .89, .93, .89]},
    "diabetes": {"tested_negative": [.99, .99, .98, .99, .93, .76, .4, .3, .2], "tested_positive": [.19, .17, .16, .18, .45, .79, .93, .95, .97]},
    "labor": {"bad": [.83, .78, .85, .78, .8, .93, .87, .9, .8], "good": [.88, .91, .89, .95, .92, .9, .89, .81, .87]},
    "hepatitis": {"DIE": [.77, .79, .56, .36, .7, .48, .71, .75, .62], "LIVE": [.58, .7, .89, .91, .86, .89, .83, .83, .85]},
    "heart-statlog": {"absent": [.84, .88, .87, .9, .72, .55, .65, .64, .52], "present": [.59, .57, .6, .51, .78, .89, .81, .79, .82]},
    "heart-cleveland": {"absent": [.85, .85, .88, .84, .77, .56, .68, .61, .5], "present": [.61, .61, .64, .66, .77, .91, .82, .82, .85]},
    "breast-w": {"malignant": [1, .98, .99, .99, .88, .91, .94, .6, .22], "benign": [.88, .88, .88, .89, .97, .96, .96, .98, .99]},
}  # fmt: skip

#: The same for Table V: costs of the three classes, shares of the classes in our order of labels.
PAPER_COSTS_3 = {
    "waveform": {
        (1, 1, 5): (.58, .66, .97), (1, 1, 4): (.59, .69, .97), (1, 1, 3): (.63, .77, .94), (1, 1, 2): (.72, .82, .86),
        (1, 1, 1): (.79, .83, .83), (2, 1, 1): (.88, .76, .74), (3, 1, 1): (.86, .74, .74), (4, 1, 1): (.91, .69, .66),
        (5, 1, 1): (.94, .62, .62),
    },
    "iris": {
        (1, 1, 5): (1, .75, .97), (1, 1, 4): (1, .73, .96), (1, 1, 3): (1, .89, .99), (1, 1, 2): (1, .85, .97),
        (1, 1, 1): (1, .87, .93), (1, 2, 1): (1, .98, .85), (1, 3, 1): (1, .99, .88), (1, 4, 1): (1, .96, .91),
        (1, 5, 1): (1, .99, .65),
    },
}  # fmt: skip


def load(name):
    """Columns, labels, and the splits: ten random ones of 70 % for training, the same for every method."""
    data = datasets.load(name)
    splits = ShuffleSplit(N_SPLITS, test_size=0.3, random_state=0).split(data.X)
    return data.X, np.asarray(data.y), list(splits)


def as_problem(X, y, splits, learner="CN2Learner", **settings):
    """The same as plain values, for programs in other environments."""
    table = Table.from_data(X)
    columns = []
    for column, values in zip(table.schema.columns, table.columns, strict=False):
        nominal = column.is_nominal
        missing = values < 0 if nominal else np.isnan(values)
        columns.append(
            {
                "name": column.name,
                "categories": [str(c) for c in column.categories] if nominal else None,
                "values": [
                    None if gone else value for value, gone in zip(values.tolist(), missing, strict=True)
                ],
            }
        )
    classes, codes = np.unique(y, return_inverse=True)
    return {
        "columns": columns,
        "classes": classes.tolist(),
        "y": codes.tolist(),
        "splits": [{"train": train.tolist(), "test": test.tolist()} for train, test in splits],
        "learner": learner,
        "settings": settings,
    }
