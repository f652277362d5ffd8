"""What scikit-learn makes of small regressions and classifications: LassoCV, the DCI scores from its
weights, F1 of the rarer class, top-k accuracy."""

import warnings

import numpy as np
from sklearn.linear_model import LassoCV
from sklearn.metrics import f1_score, top_k_accuracy_score

from tensor_file import TensorFile


def problems():
    """x [N, D] and y [N, F] of several shapes, and the number of folds."""
    draw = np.random.default_rng(31)
    x = draw.normal(size=(60, 6))
    yield "tall", x, np.stack([x[:, 0] - 0.5 * x[:, 3], np.sin(2 * x[:, 1]), x[:, 5] ** 2 + x[:, 2]],
                              axis=1) + 0.3 * draw.normal(size=(60, 3)), 5
    x = draw.normal(size=(43, 5)) * [1, 10, 0.1, 3, 1] + [0, 100, -5, 2, 0]
    yield "uneven", x, x @ draw.normal(size=(5, 2)) + draw.normal(size=(43, 2)) + 40, 5
    yield "three-folds", x[:31], x[:31, 1:3] + draw.normal(size=(31, 2)), 3
    x = draw.normal(size=(40, 7))
    x[:, 2] = 0.75  # exact in binary, so its deviations are exactly zero
    x[:, 4] = 2 * x[:, 1]
    x[:, 6] = x[:, 0] - x[:, 3]
    yield "constant-and-collinear", x, np.stack(
        [x[:, 1] + 0.5 * draw.normal(size=40), x[:, 6] - x[:, 5] + 0.2 * draw.normal(size=40)],
        axis=1), 5
    x = draw.normal(size=(20, 30))
    yield "wide", x, x[:, :2] * 2 + 0.4 * draw.normal(size=(20, 2)), 5
    x = draw.normal(size=(30, 4))
    yield "unrelated", x, draw.normal(size=(30, 2)), 5
    yield "constant-target", x, np.stack([np.full(30, 1.25), x[:, 1]], axis=1), 5


def regressions():
    file = TensorFile("lasso")
    for name, x, y, folds in problems():
        file.metadata[name] = str(folds)
        file.add(f"{name}/x", x)
        file.add(f"{name}/y", y)
        fits = [LassoCV(cv=folds, max_iter=50_000).fit(x, of_y) for of_y in y.T]
        file.add(f"{name}/weights", np.stack([fit.coef_ for fit in fits]))
        file.add(f"{name}/intercept", np.array([fit.intercept_ for fit in fits]))
        file.add(f"{name}/alpha", np.array([fit.alpha_ for fit in fits]))
        file.add(f"{name}/ends", np.stack([fit.alphas_[[0, -1]] for fit in fits]))
        file.add(f"{name}/errors", np.stack([fit.mse_path_.mean(axis=1) for fit in fits]))
    x, y = draw_finely()
    fit = LassoCV(cv=4, n_alphas=20, eps=1e-2, tol=1e-9, max_iter=50_000).fit(x, y)
    for name, value in [("x", x), ("y", y[:, None]), ("weights", fit.coef_[None]),
                        ("grid", fit.alphas_[None]), ("alpha", np.array([fit.alpha_]))]:
        file.add(f"options/{name}", value)
    file.save()


def draw_finely():
    draw = np.random.default_rng(32)
    x = draw.normal(size=(45, 8)) @ draw.normal(size=(8, 8))
    return x, x[:, 0] + x[:, 1] + draw.normal(size=45)


def standardised(columns):
    return (columns - columns.mean(axis=0)) / np.maximum(columns.std(axis=0), 1e-12)


def concentrations(rows):
    """1 - entropy of each row over that of equal shares."""
    out = np.zeros(len(rows))
    for i, row in enumerate(rows):
        if row.sum() > 0:
            p = row / row.sum() + 1e-12
            p /= p.sum()
            out[i] = 1 - np.sum(-p * np.log(p)) / np.log(len(row))
    return out


def weighted(values, weights):
    return np.sum(values * weights) / weights.sum() if weights.sum() > 0 else 0.0


def scores():
    """Codes that are mixtures of factors, one that is constant, and one that is noise."""
    file = TensorFile("dci")
    draw = np.random.default_rng(33)
    factors = draw.uniform(-1, 1, size=(80, 4))
    codes = np.concatenate([
        factors[:, :2] * 3 + 1, factors @ draw.normal(size=(4, 2)), np.tanh(2 * factors[:, 2:3]),
        np.full((80, 1), 0.5), draw.normal(size=(80, 1))], axis=1).astype(np.float32)
    factors = factors.astype(np.float32)
    file.add("codes", codes)
    file.add("factors", factors)
    x, y = (standardised(part.astype(np.float64)) for part in (codes, factors))
    importance, r2 = [], []
    for target in y.T:
        fit = LassoCV(cv=5, max_iter=50_000).fit(x, target)
        importance.append(np.abs(fit.coef_))
        best = int(np.argmin(fit.mse_path_.mean(axis=1)))
        r2.append(1 - fit.mse_path_[best].mean() / target.var())
    importance = np.stack(importance, axis=1)
    file.add("importance", importance)
    file.add("informativeness", np.array(r2))
    matrices = [("fitted", importance), ("random", draw.uniform(size=(9, 5)) ** 3),
                ("empty", np.zeros((3, 2))),
                ("gaps", np.array([[0, 0, 0], [2, 0, 0], [1, 0, 3], [0, 0, 0.5]], dtype=float))]
    for name, matrix in matrices:
        file.add(f"{name}/importance", matrix)
        file.add(f"{name}/codes", concentrations(matrix))
        file.add(f"{name}/factors", concentrations(matrix.T))
        file.add(f"{name}/means", np.array([
            weighted(concentrations(matrix), matrix.sum(axis=1)),
            weighted(concentrations(matrix.T), matrix.sum(axis=0))]))
    file.save()


def classifications():
    file = TensorFile("classification")
    draw = np.random.default_rng(34)
    binary = {"few-positives": (draw.random(80) < 0.2, draw.random(80) < 0.3),
              "few-negatives": (draw.random(80) < 0.9, draw.random(80) < 0.7),
              "balanced": (np.arange(40) % 2 == 0, draw.random(40) < 0.5),
              "no-positives": (np.zeros(30, bool), draw.random(30) < 0.3),
              "no-positives-predicted": (draw.random(30) < 0.3, np.zeros(30, bool)),
              "neither": (np.zeros(30, bool), np.zeros(30, bool)),
              "all-positive": (np.ones(30, bool), draw.random(30) < 0.6)}
    for name, (truth, predicted) in binary.items():
        rarer = 1 if truth.sum() < (~truth).sum() else 0
        file.add(f"{name}/truth", truth.astype(np.float64))
        file.add(f"{name}/predicted", predicted.astype(np.float64))
        file.add(f"{name}/f1", np.array(
            [f1_score(truth, predicted, pos_label=rarer, zero_division=0)], dtype=np.float64))
    logits = draw.normal(size=(40, 12))
    truth = draw.integers(0, 12, size=40)
    file.add("top/logits", logits)
    file.add("top/truth", truth.astype(np.float64))
    file.add("top/shares", np.array(
        [top_k_accuracy_score(truth, logits, k=k, labels=np.arange(12)) for k in range(1, 12)]))
    file.save()


def write():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of too few samples for so many weights
        regressions()
        scores()
    classifications()
