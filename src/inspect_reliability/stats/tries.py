"""How scores of systems vary from one try to another."""

import numpy as np

from .long import FloatArray
from .ranking import Contests


def variance_of_tries(contests: Contests) -> FloatArray | None:
    """(Co)variances of scores from one try of every cell to another, [S, S]; None without two.

    Cells with one try are taken to vary like the others.
    """
    cells, values = contests.cell, contests.values
    n = np.bincount(cells)
    rows = np.unique(cells, return_index=True)[1]
    width = values.shape[1]
    if contests.exact:
        spread = np.zeros((len(n), width, width))
        chance = values[rows, 0]
        np.add.at(
            spread, cells[rows], (chance * (1 - chance))[:, None, None] * _SIGNS[:width, :width]
        )
        known = np.ones(len(n), bool)
    else:
        known = n > 1
        if not known.any():
            return None
        mean = np.stack([np.bincount(cells, one) for one in values.T], axis=1) / n[:, None]
        off = values - mean[cells]
        free = np.maximum(n - 1, 1)
        each = [[np.bincount(cells, a * b) / free for a in off.T] for b in off.T]
        spread = np.array(each).transpose(2, 0, 1)
    systems, question = contests.systems[rows], contests.question[rows]
    asked = np.zeros((int(question.max()) + 1, contests.n_systems))
    np.add.at(asked, (question[:, None], systems), 1)
    weight = 1 / (asked[question[:, None], systems] * (asked > 0).sum(axis=0)[systems])
    own = spread * weight[:, :, None] * weight[:, None, :] * known[:, None, None]
    found = np.zeros((contests.n_systems,) * 2)
    np.add.at(found, (systems[:, :, None], systems[:, None, :]), own)
    return np.asarray(found * len(n) / known.sum())


_SIGNS = np.array([[1.0, -1.0], [-1.0, 1.0]])
