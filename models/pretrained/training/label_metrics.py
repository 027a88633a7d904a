"""Metrics of multi-label classifiers: average precision, and the pointing game of attention
rollout."""
import numpy as np
import torch

from several_labels import THINGS, in_boxes


def average_precisions(score, named):
    """Of each label, over all pictures in the order of their scores; not a number where no picture
    has it. Both (pictures, labels)."""
    order = np.argsort(-score, 0, kind="stable")
    right = np.take_along_axis(named, order, 0).astype(np.float64)
    precision = np.cumsum(right, 0) / np.arange(1, len(right) + 1)[:, None]
    count = right.sum(0)
    return np.where(count > 0, (precision * right).sum(0) / np.maximum(count, 1), np.nan)


def pointing(reached, logits, scene, cells):
    """(pictures, 4): the highest score of a thing, whether that thing is in the picture, whether
    the largest cell of the rollout lies in one of its boxes, and the share of cells that do, which
    is the chance of a random cell."""
    score, best = logits[:, :THINGS].sigmoid().max(1)
    mine = scene["valid"] & (scene["label"] == best[:, None])
    inside = in_boxes(cells, scene["box"], mine)
    hit = torch.gather(inside, 1, reached.argmax(1, keepdim=True))[:, 0]
    return torch.stack([score, mine.any(1).float(), hit.float(), inside.float().mean(1)], 1)
