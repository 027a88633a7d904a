"""Whether a classifier is as sure as it says: what makes it so, the score above which its answers
are worth showing, and a table."""
import numpy as np
import torch
import torch.nn.functional as F


def factor_of(logits, label):
    """By how much logits are to be multiplied so that scores say how often they are right: the one
    of the least cross entropy."""
    factors = torch.linspace(0.5, 3.0, 126, device=logits.device)
    losses = torch.stack([F.cross_entropy(logits * factor, label) for factor in factors])
    return float(factors[losses.argmin()])


def line_of(logits, named):
    """The factor and the shift of logits by which scores, of many labels, say how often they are
    right: those of the least binary cross entropy, by Newton's method."""
    x, y = logits.double().flatten(), named.double().flatten()
    factor, shift = torch.ones_like(x[0]), torch.zeros_like(x[0])
    for _ in range(50):
        score = (factor * x + shift).sigmoid()
        off, bend = score - y, score * (1 - score)
        a, b, c = (bend * x * x).sum() + 1e-3, (bend * x).sum(), bend.sum() + 1e-3
        first, second = (off * x).sum(), off.sum()
        bottom = a * c - b * b
        step = torch.stack([c * first - b * second, a * second - b * first]) / bottom
        step = step * (1 / step.norm()).clamp(max=1)
        factor, shift = factor - step[0], shift - step[1]
    return float(factor), float(shift)


@torch.no_grad()
def multiply(head, factor, shift=0.0, labels=slice(None)):
    """Multiplies the logits that a last layer gives for these labels, and shifts them."""
    head.weight[labels] *= factor
    head.bias[labels] = head.bias[labels] * factor + shift


def judged(logits, label):
    """Scores of the answers, and whether each is right."""
    score, answer = logits.float().softmax(-1).max(-1)
    return score.cpu().numpy(), (answer == label).cpu().numpy()


def best_threshold(score, right):
    """The score above which answers have the best F1: shown and right against all pictures."""
    order = np.argsort(-score, kind="stable")
    found = np.cumsum(right[order])
    precision, recall = found / np.arange(1, len(found) + 1), found / len(found)
    best = int((2 * precision * recall / np.maximum(precision + recall, 1e-9)).argmax())
    return dict(threshold=float(score[order][best]), precision=float(precision[best]),
                recall=float(recall[best]))


def threshold_of(score, right, precision=0.9):
    """The least score, in hundredths, above which this share of what is said is right."""
    for least in np.arange(1, 100) / 100:
        said = score >= least
        if said.any() and right[said].mean() >= precision:
            return float(least)
    return 1.0


def reliability(score, right, bins=10):
    """Rows of (lowest score, share of the pictures, mean score, share that is right), and the
    expected calibration error."""
    rows, error = [], 0.0
    for low in np.arange(bins) / bins:
        here = (score >= low) & ((score < low + 1 / bins) | (low + 1 / bins >= 1))
        if here.any():
            rows.append((float(low), float(here.mean()), float(score[here].mean()),
                         float(right[here].mean())))
            error += here.mean() * abs(rows[-1][2] - rows[-1][3])
    return rows, float(error)
