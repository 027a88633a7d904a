"""How good detections are: average precision as COCO defines it, and precision and recall."""
import numpy as np
import torch

import boxes
from scenes import CLASSES

THRESHOLDS = torch.arange(0.5, 0.96, 0.05)      # of intersection over union
RECALLS = np.linspace(0, 1, 101)


class Detections:
    """Collects the answers for batches of scenes."""

    def __init__(self):
        self.scores, self.labels, self.hits, self.truth = [], [], [], []

    @torch.no_grad()
    def add(self, logits, box, scene):
        """logits (batch, queries, CLASSES + 1), box (batch, queries, 4)."""
        score, label = logits.float().softmax(-1)[..., :-1].max(-1)
        order = score.argsort(1, descending=True)
        score, label = torch.gather(score, 1, order), torch.gather(label, 1, order)
        box = torch.gather(box.float(), 1, order[..., None].expand(-1, -1, 4))
        self.hits.append(hits(label, box, scene).flatten(0, 1).cpu())
        self.scores.append(score.flatten().cpu())
        self.labels.append(label.flatten().cpu())
        self.truth.append(scene["label"][scene["valid"]].cpu())

    def result(self, threshold=0.5):
        scores, labels, hit, truth = (torch.cat(part).numpy() for part in (
            self.scores, self.labels, self.hits, self.truth))
        table = np.array([average_precision(scores[labels == k], hit[labels == k],
                                            (truth == k).sum()) for k in range(CLASSES)])
        said = scores > threshold
        right = hit[said, 0].sum()
        return {"AP50": np.nanmean(table[:, 0]), "AP75": np.nanmean(table[:, 5]),
                "AP": np.nanmean(table), "precision": right / max(1, said.sum()),
                "recall": right / len(truth)}


def hits(label, box, scene):
    """Which detections, best first, are right at every threshold: (batch, queries, thresholds).

    A detection takes the free object of its label that it overlaps most.
    """
    batch, queries = label.shape
    overlap = boxes.pairwise(box, scene["box"])[0]              # (batch, queries, objects)
    thresholds = THRESHOLDS.to(box.device)
    objects = overlap.shape[-1]
    taken = torch.zeros(batch, objects, len(thresholds), dtype=torch.bool, device=box.device)
    found = torch.zeros(batch, queries, len(thresholds), dtype=torch.bool, device=box.device)
    for query in range(queries):
        fits = (scene["label"] == label[:, query:query + 1]) & scene["valid"]
        free = fits[..., None] & ~taken
        best, owner = torch.where(free, overlap[:, query, :, None], -1.0).max(1)
        found[:, query] = best >= thresholds
        taken |= (torch.arange(objects, device=box.device)[None, :, None] == owner[:, None]) \
            & found[:, query][:, None]
    return found


def average_precision(scores, hit, objects):
    """Of one class at every threshold, over 101 recalls."""
    if objects == 0:
        return np.full(len(THRESHOLDS), np.nan)
    right = np.cumsum(hit[np.argsort(-scores, kind="stable")], 0)
    result = np.zeros(len(THRESHOLDS))
    for k in range(len(THRESHOLDS)):
        recall = right[:, k] / objects
        precision = right[:, k] / np.arange(1, len(right) + 1)
        precision = np.maximum.accumulate(precision[::-1])[::-1]
        at = np.searchsorted(recall, RECALLS)
        result[k] = np.append(precision, 0)[np.minimum(at, len(precision))].mean()
    return result
