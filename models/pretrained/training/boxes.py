"""Boxes as (centre x, centre y, width, height) in 0..1."""
import torch


def corners(box):
    return torch.cat([box[..., :2] - box[..., 2:] / 2, box[..., :2] + box[..., 2:] / 2], -1)


def _area(box):
    # not prod(): its gradient waits for the GPU
    return (box[..., 2] - box[..., 0]).clamp(min=0) * (box[..., 3] - box[..., 1]).clamp(min=0)


def overlaps(a, b):
    """Intersection over union, and the generalised one that also falls with distance."""
    a, b = corners(a), corners(b)
    common = _area(torch.cat([torch.maximum(a[..., :2], b[..., :2]),
                              torch.minimum(a[..., 2:], b[..., 2:])], -1))
    union = _area(a) + _area(b) - common
    around = _area(torch.cat([torch.minimum(a[..., :2], b[..., :2]),
                              torch.maximum(a[..., 2:], b[..., 2:])], -1))
    iou = common / (union + 1e-7)
    return iou, iou - (around - union) / (around + 1e-7)


def pairwise(a, b):
    """overlaps() of every a (batch, m, 4) with every b (batch, n, 4): (batch, m, n) each."""
    m, n = a.shape[1], b.shape[1]
    return overlaps(a[:, :, None].expand(-1, -1, n, -1), b[:, None].expand(-1, m, -1, -1))
