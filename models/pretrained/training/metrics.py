"""How good detections are: average precision as COCO defines it, and precision and recall."""
import numpy as np
import torch

import boxes
from scenes import CLASSES

THRESHOLDS = torch.arange(0.5, 0.96, 0.05)      # of intersection over union
RECALLS = np.linspace(0, 1, 101)


class Detections:
    """Collects the answers for batches of scenes.

    With `smallest`, objects whose longer side is no longer than that share of the picture's do not
    count, as in COCO: finding one is neither right nor wrong, nor is a small detection of nothing.
    """

    def __init__(self, classes=CLASSES, smallest=0.0):
        self.classes, self.smallest = classes, smallest
        self.scores, self.labels, self.hits, self.spared, self.truth = [], [], [], [], []

    @torch.no_grad()
    def add(self, logits, box, scene):
        """logits (batch, queries, classes + 1), or a score for every class without one for nothing;
        box (batch, queries, 4)."""
        score, label, order = best_of(logits, self.classes)
        box = torch.gather(box.float(), 1, order[..., None].expand(-1, -1, 4))
        counts = scene["valid"] & (scene["box"][..., 2:].amax(-1) > self.smallest)
        hit, spared = hits(label, box, scene, counts)
        spared |= ~hit & (box[..., 2:].amax(-1) <= self.smallest)[..., None]
        self.hits.append(hit.flatten(0, 1).cpu())
        self.spared.append(spared.flatten(0, 1).cpu())
        self.scores.append(score.flatten().cpu())
        self.labels.append(label.flatten().cpu())
        self.truth.append(scene["label"][counts].cpu())

    def table(self):
        """Average precision, (classes, thresholds)."""
        scores, labels, hit, spared, truth = (torch.cat(part).numpy() for part in (
            self.scores, self.labels, self.hits, self.spared, self.truth))
        return np.array([average_precision(scores[labels == k], hit[labels == k],
                                           (truth == k).sum(), spared[labels == k])
                         for k in range(self.classes)])

    def result(self, threshold=0.5):
        table = self.table()
        scores, hit, spared = (torch.cat(part).numpy() for part in (
            self.scores, self.hits, self.spared))
        said = (scores > threshold) & ~spared[:, 0]
        right = hit[said, 0].sum()
        return {"AP50": np.nanmean(table[:, 0]), "AP75": np.nanmean(table[:, 5]),
                "AP": np.nanmean(table), "precision": right / max(1, said.sum()),
                "recall": right / max(1, sum(len(part) for part in self.truth))}

    def best_threshold(self):
        """The score above which detections have the best F1, and that, with precision and
        recall."""
        scores, right, objects = self.judged()
        order = np.argsort(-scores, kind="stable")
        found = np.cumsum(right[order])
        precision, recall = found / np.arange(1, len(found) + 1), found / max(1, objects)
        f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
        best = int(f1.argmax())
        return dict(threshold=scores[order][best], F1=f1[best], precision=precision[best],
                    recall=recall[best])

    def reliability(self, least=0.05, bins=10):
        """How often scores are right: rows of (lowest score, number, mean score, share that is
        right), and the expected calibration error over them."""
        scores, right, _ = self.judged()
        rows, error, number = [], 0.0, max(1, (scores >= least).sum())
        for low in np.maximum(np.arange(bins) / bins, least):
            high = (np.floor(low * bins) + 1) / bins
            here = (scores >= low) & ((scores < high) | (high >= 1))
            if here.any():
                mean, share = scores[here].mean(), right[here].mean()
                rows.append((low, int(here.sum()), mean, share))
                error += here.sum() / number * abs(mean - share)
        return rows, error

    def odds(self, least=0.05, steps=50):
        """Factor and shift of logits after which scores say how often they are right: Platt's
        logistic regression, by Newton's method, over what scores at least this."""
        scores, right, _ = self.judged()
        keep = scores >= least
        score, right = scores[keep].astype(np.float64).clip(1e-4, 1 - 1e-4), right[keep]
        logit = np.log(score / (1 - score))
        inputs, weights = np.stack([logit, np.ones_like(logit)]), np.array([1.0, 0.0])
        for _ in range(steps):
            said = 1 / (1 + np.exp(-weights @ inputs))
            slope = (inputs * (said * (1 - said))) @ inputs.T
            weights -= np.linalg.solve(slope, inputs @ (said - right))
        return weights.tolist()

    def judged(self):
        """Scores of detections that count, whether each is right at half an overlap, and how many
        objects there are."""
        scores, hit, spared = (torch.cat(part).numpy() for part in (
            self.scores, self.hits, self.spared))
        counts = ~spared[:, 0]
        return scores[counts], hit[counts, 0], sum(len(part) for part in self.truth)


def best_of(logits, classes):
    """Scores, best first, their labels and queries, as many as there are queries. Where every class
    has a score of its own, a query may be named with two of them."""
    if logits.shape[-1] == classes:
        score, index = logits.float().sigmoid().flatten(1).topk(logits.shape[1], dim=1)
        return score, index % classes, index // classes
    score, label = logits.float().softmax(-1)[..., :-1].max(-1)
    order = score.argsort(1, descending=True)
    return torch.gather(score, 1, order), torch.gather(label, 1, order), order


def hits(label, box, scene, counts):
    """Which detections, best first, are right at every threshold, and which are to be spared since
    they found an object that does not count: (batch, queries, thresholds) each.

    A detection takes the free object of its label that it overlaps most, one that counts if any.
    """
    batch, queries = label.shape
    overlap = boxes.pairwise(box, scene["box"])[0]              # (batch, queries, objects)
    thresholds = THRESHOLDS.to(box.device)
    objects = overlap.shape[-1]
    index = torch.arange(objects, device=box.device)[None, :, None]
    taken = torch.zeros(batch, objects, len(thresholds), dtype=torch.bool, device=box.device)
    found = torch.zeros(batch, queries, len(thresholds), dtype=torch.bool, device=box.device)
    spared = torch.zeros_like(found)
    for query in range(queries):
        fits = (scene["label"] == label[:, query:query + 1]) & scene["valid"]
        settled = torch.zeros_like(found[:, query])
        for which, result in ((counts, found), (~counts, spared)):
            free = (fits & which)[..., None] & ~taken
            best, owner = torch.where(free, overlap[:, query, :, None], -1.0).max(1)
            result[:, query] = (best >= thresholds) & ~settled
            settled = settled | result[:, query]
            taken |= (index == owner[:, None]) & result[:, query][:, None]
    return found, spared


def average_precision(scores, hit, objects, spared):
    """Of one class at every threshold, over 101 recalls."""
    if objects == 0:
        return np.full(len(THRESHOLDS), np.nan)
    order = np.argsort(-scores, kind="stable")
    hit, spared = hit[order], spared[order]
    result = np.zeros(len(THRESHOLDS))
    for k in range(len(THRESHOLDS)):
        right = np.cumsum(hit[~spared[:, k], k])
        recall = right / objects
        precision = right / np.arange(1, len(right) + 1)
        precision = np.maximum.accumulate(precision[::-1])[::-1]
        at = np.searchsorted(recall, RECALLS)
        result[k] = np.append(precision, 0)[np.minimum(at, len(precision))].mean()
    return result
