"""YOLOS, and the losses that train it.

Two things help that transformers' YolosForObjectDetection does not have; they are left behind on
export. The detection tokens of two middle blocks answer as well (the same heads, half the
weight), and every patch says what covers it and where that ends, which teaches the patches
quickly what the detection tokens then only have to collect.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

import boxes
from assignment import assign
from scenes import CLASSES, to_input
from vit import ViT

NOTHING_WEIGHT = 0.2    # of a token that finds nothing in the loss: most of them do
EMPTY_WEIGHT = 1.0      # where there is nothing to be found at all: a false alarm is no detail


class Mlp(nn.Module):
    def __init__(self, width, outputs):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width), nn.Linear(width, width),
                                     nn.Linear(width, outputs)])

    def forward(self, x):
        return self.layers[2](F.relu(self.layers[1](F.relu(self.layers[0](x)))))


class Detector(nn.Module):
    """The last label, beyond the classes, is that of a token that has found nothing."""

    def __init__(self, shape, classes=CLASSES):
        super().__init__()
        self.vit = ViT(shape)
        self.labels, self.boxes = Mlp(shape.width, classes + 1), Mlp(shape.width, 4)
        self.patch_labels = nn.Linear(shape.width, classes + 1)
        self.patch_boxes = Mlp(shape.width, 4)
        for head in (self.boxes, self.patch_boxes):
            nn.init.constant_(head.layers[2].bias[2:], -1.5)    # small boxes to start from

    def answers(self, tokens):
        detections = tokens[:, -self.vit.shape.detection_tokens:]
        return self.labels(detections).float(), self.boxes(detections).float().sigmoid()

    def forward(self, picture):
        return self.answers(self.vit(picture))

    def count_nothing_in_full(self):
        count_nothing_in_full(self.labels.layers[2])

    def loss(self, scene):
        """Called under autocast; the sum over the last block, two middle ones and the patches."""
        layers = len(self.vit.blocks)
        tokens, middle = self.vit(to_input(scene["picture"]), (layers // 2, layers - 2))
        total = found_loss(*self.answers(tokens), scene)
        for earlier in middle:
            total = total + 0.5 * found_loss(*self.answers(earlier), scene)
        patches = tokens[:, 1:1 + self.vit.shape.patches]
        return total + covered_loss(self.patch_labels(patches).float(),
                                    self.patch_boxes(patches).float().sigmoid(), scene)


@torch.no_grad()
def count_nothing_in_full(labels):
    """Scores that take every answer as seriously as the next. Trained on a loss that takes
    "nothing" less seriously by a factor, the odds are off by that factor: in photographs without
    any emoji this is the difference between many false alarms and few."""
    labels.bias[-1] -= math.log(NOTHING_WEIGHT)


def found_loss(logits, box, scene, quality=0.0):
    """DETR's loss: match, then cross entropy, L1 and generalised IoU.

    With `quality`, the label is wanted with less certainty the less a box overlaps its object, by
    up to that much: scores then tell good boxes from bad ones.
    """
    label, target, valid = scene["label"], scene["box"], scene["valid"]
    batch, queries, nothing = *logits.shape[:2], logits.shape[2] - 1
    with torch.no_grad():
        chosen = assign(matching_cost(logits, box, label, target), scene["number"])
        # a column too many takes the targets that are not in use
        wanted = torch.full((batch, queries + 1), nothing, device=label.device)
        wanted.scatter_(1, torch.where(valid, chosen, queries), torch.where(valid, label, nothing))
        wanted = wanted[:, :queries]
    matched = torch.gather(box, 1, chosen[..., None].expand(-1, -1, 4))
    entropy = F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), reduction="none")
    if quality:
        missing = quality * (1 - boxes.overlaps(matched.detach(), target)[0])
        doubt = torch.zeros(batch, queries + 1, device=label.device)
        doubt = doubt.scatter(1, torch.where(valid, chosen, queries), missing)
        doubt = doubt[:, :queries].flatten()
        silent = torch.full_like(wanted, nothing).flatten()
        entropy = (1 - doubt) * entropy + doubt * F.cross_entropy(logits.flatten(0, 1), silent,
                                                                  reduction="none")
    silence = torch.where(scene["number"] > 0, NOTHING_WEIGHT, EMPTY_WEIGHT)[:, None]
    weight = torch.where(wanted == nothing, silence.expand(wanted.shape), 1.0).flatten()
    return (2 * (entropy * weight).sum() / weight.sum()
            + box_loss(matched, target, valid.float()))


def matching_cost(logits, box, label, target):
    """Of every target answered by every query: (batch, targets, queries)."""
    said = torch.gather(logits.softmax(-1).transpose(1, 2), 1,
                        label[..., None].expand(-1, -1, logits.shape[1]))
    apart = (target[:, :, None] - box[:, None]).abs().sum(-1)
    return 5 * apart - 2 * said - 2 * boxes.pairwise(target, box)[1]


def covered_loss(logits, box, scene):
    covered = (scene["patch_label"] < logits.shape[-1] - 1).float()
    return (2 * covered_entropy(logits, scene["patch_label"])
            + box_loss(box, scene["patch_box"], covered))


def covered_entropy(logits, label, nothing_weight=0.25):
    """Of what each patch says that covers it: logits (batch, patches, classes + 1)."""
    covered = (label < logits.shape[-1] - 1).float()
    entropy = F.cross_entropy(logits.flatten(0, 1), label.flatten(), reduction="none")
    weight = nothing_weight + (1 - nothing_weight) * covered
    return (entropy.view_as(covered) * weight).sum() / weight.sum()


def box_loss(box, target, weight):
    each = 5 * (box - target).abs().sum(-1) + 2 * (1 - boxes.overlaps(box, target)[1])
    return (each * weight).sum() / weight.sum().clamp(min=1)
