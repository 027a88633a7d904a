"""Multi-label classification, and what a classifier learns beside the labels of whole pictures.

Three more losses train it; their heads are left behind on export. Every patch says which thing
covers it. Every patch repeats the features of a detector, a convolutional network, at its place
(feature distillation). And attention rollout from the class token is wanted on patches of the thing
that has the highest score.
"""
import torch
import torch.nn.functional as F
from torch import nn

from detector import covered_entropy
from scenes import to_input

THINGS = 80             # the first labels: COCO's classes; tags follow
FOCUS, MARGIN = 3.0, 0.05   # of the asymmetric loss: labels rightly called absent count little
SELDOM = -4.0           # where logits begin
SEEN_WEIGHT, COVERED_WEIGHT, REACHED_WEIGHT = 5.0, 1.0, 0.2
ROLLED = 16             # one picture of this many is rolled out


class Pupil(nn.Module):
    """A classifier with the heads for training. The model has a head, and look(picture) -> pooled
    (batch, width) and the cells (batch, cells, width), early and late."""

    def __init__(self, model, width, seen):
        super().__init__()
        self.model = model
        self.cell_labels = nn.Linear(width, THINGS + 1)
        self.cell_seen = nn.Linear(width, seen)
        nn.init.constant_(model.head.bias, SELDOM)

    def forward(self, picture):
        return self.model(picture)

    def loss(self, batch):
        """Called under autocast."""
        picture = to_input(batch["picture"])
        pooled, early, late = self.model.look(picture)
        logits = self.model.head(pooled).float()
        total = (asymmetric(logits, batch["named"]) * batch["known"]).sum() / len(logits)
        total = total + COVERED_WEIGHT * covered_entropy(self.cell_labels(late).float(),
                                                         batch["patch_label"])
        total = total + SEEN_WEIGHT * seen_loss(self.cell_seen(early).float(), batch)
        if hasattr(self.model, "rollout"):
            some = max(1, len(picture) // ROLLED)
            reached = self.model.rollout(picture[:some])
            inside, there = named_cells(logits[:some].detach(), batch, some)
            total = total + REACHED_WEIGHT * reached_loss(reached, inside, there)
        return total


def asymmetric(logits, named):
    """Asymmetric loss (Ridnik et al. 2021), of every label."""
    present = -F.logsigmoid(logits)
    score = (logits.sigmoid() - MARGIN).clamp(0, 1 - 1e-4)
    absent = -score.detach() ** FOCUS * torch.log1p(-score)
    return named * present + (1 - named) * absent


def seen_loss(said, batch):
    """Squared distance from the teacher's features, (batch, cells, width). Places beyond the
    picture do not count."""
    inside = batch["inside"]
    return ((said - batch["seen"]).square().mean(-1) * inside).sum() / inside.sum()


def named_cells(logits, batch, some):
    """Of the first `some` pictures, which cells lie in a box of the thing there that has the
    highest score, and whether there is one."""
    label, box, valid = (batch[key][:some] for key in ("label", "box", "valid"))
    present = batch["named"][:some, :THINGS] > 0
    best = torch.where(present, logits[:, :THINGS], -1e4).argmax(1)
    mine = valid & (label == best[:, None])
    return in_boxes(batch["cells"], box, mine), mine.any(1)


def in_boxes(cells, box, counts):
    """Whether each of the cells (n, 2) lies in one of the boxes (batch, objects, 4) that count:
    (batch, n)."""
    apart = (cells[None, :, None] - box[:, None, :, :2]).abs()
    return ((apart <= box[:, None, :, 2:] / 2).all(-1) & counts[:, None]).any(-1)


def reached_loss(reached, inside, there):
    share = (reached * inside).sum(1)
    counts = (there & inside.any(1)).float()
    return -((share + 1e-3).log() * counts).sum() / counts.sum().clamp(min=1)
