"""DETR with a small ResNet, and what trains it within minutes instead of days.

Three things help that transformers' DetrForObjectDetection does not have; they are left behind on
export. Several groups of queries, each matched with the objects on its own, teach one decoder.
Every cell of the encoder's output says what covers it and where that ends, in coordinates of the
whole picture: DETR adds positions to queries and keys alone, so that where a thing is must be
found in the values first. And all layers of the decoder answer.

Queries begin as places on a grid, in the waves that mark the cells, and every attention between
places begins with keys equal to queries: from the first step a query looks around its own place.
"""
import math
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn

from detector import Mlp, count_nothing_in_full, covered_loss, found_loss
from resnet import ResNet, ResNetShape
from scenes import to_input

SHARPNESS, WAVES = 10.0, 8          # of a query's place, and how many waves an axis tell it


@dataclass
class DetrShape:
    backbone: ResNetShape = field(default_factory=ResNetShape)
    width: int = 192
    heads: int = 6
    inner: int = 768
    encoder_layers: int = 2
    decoder_layers: int = 3
    queries: int = 100
    groups: int = 4                 # in training; the first one is kept
    classes: int = 80
    side: int = 256                 # of the square input
    quality: float = 0.0            # how much scores follow overlaps, see found_loss


def waves(at, width):
    """Sine positions of places `at` (..., 2), x and y in 0..1: (..., width), y first."""
    each = width // 2
    index = torch.arange(each, device=at.device)
    angle = at[..., None] * 2 * math.pi / 10000 ** (2 * (index // 2) / each)    # (..., 2, each)
    both = torch.where(index % 2 == 0, angle.sin(), angle.cos())
    return torch.cat([both[..., 1, :], both[..., 0, :]], -1)


def cell_waves(rows, columns, width, device):
    """Of cells, counted from 1 as transformers does: (rows * columns, width)."""
    y, x = torch.meshgrid((torch.arange(rows, device=device) + 1) / rows,
                          (torch.arange(columns, device=device) + 1) / columns, indexing="ij")
    return waves(torch.stack([x, y], -1).view(-1, 2), width)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        for layer in (self.q, self.v, self.out):
            nn.init.xavier_uniform_(layer.weight)
        nn.init.orthogonal_(self.q.weight)
        self.k.weight.data.copy_(self.q.weight)
        for layer in (self.q, self.k, self.v, self.out):
            nn.init.zeros_(layer.bias)

    def forward(self, q, k, v):
        """(batch, queries, width), (batch, keys, width) twice -> (batch, queries, width)"""
        split = lambda x: x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(split(self.q(q)), split(self.k(k)),
                                               split(self.v(v)))
        return self.out(mixed.transpose(1, 2).reshape(q.shape))


class EncoderBlock(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.self_attention = Attention(shape.width, shape.heads)
        self.up, self.down = perceptron(shape)
        self.norm1, self.norm2 = nn.LayerNorm(shape.width), nn.LayerNorm(shape.width)

    def forward(self, x, places):
        at = x + places
        x = self.norm1(x + self.self_attention(at, at, x))
        return self.norm2(x + self.down(F.relu(self.up(x))))


class DecoderBlock(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.self_attention = Attention(shape.width, shape.heads)
        self.cross_attention = Attention(shape.width, shape.heads)
        self.up, self.down = perceptron(shape)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(shape.width) for _ in range(3))

    def forward(self, x, queries, seen, places):
        """x (batch, groups, queries, width); groups do not see each other."""
        apart, together = x.flatten(0, 1).shape, x.flatten(1, 2).shape
        at = (x + queries).view(apart)
        x = self.norm1(x + self.self_attention(at, at, x.view(apart)).view(x.shape))
        at = (x + queries).view(together)
        x = self.norm2(x + self.cross_attention(at, seen + places, seen).view(x.shape))
        return self.norm3(x + self.down(F.relu(self.up(x))))


def perceptron(shape):
    layers = nn.Linear(shape.width, shape.inner), nn.Linear(shape.inner, shape.width)
    for layer in layers:
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)
    return layers


class Detr(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.backbone = ResNet(shape.backbone)
        self.project = nn.Conv2d(shape.backbone.channels[-1], shape.width, 1)
        self.encoder = nn.ModuleDict(
            dict(blocks=nn.ModuleList(EncoderBlock(shape) for _ in range(shape.encoder_layers))))
        self.decoder = nn.ModuleDict(
            dict(blocks=nn.ModuleList(DecoderBlock(shape) for _ in range(shape.decoder_layers)),
                 norm=nn.LayerNorm(shape.width)))
        self.queries = nn.Parameter(grid_queries(shape))        # (groups, queries, width)
        self.labels, self.boxes = nn.Linear(shape.width, shape.classes + 1), Mlp(shape.width, 4)
        self.cell_labels = nn.Linear(shape.width, shape.classes + 1)
        self.cell_boxes = Mlp(shape.width, 4)
        for head in (self.boxes, self.cell_boxes):
            nn.init.constant_(head.layers[2].bias[2:], -1.5)    # small boxes to start from
        for head in (self.labels, self.cell_labels):
            nn.init.constant_(head.bias[-1], 3.0)               # mostly nothing to start from

    @property
    def grid(self):
        cells = self.shape.side // self.shape.backbone.stride
        return cells, cells

    def cells(self):
        """Where the cells lie, (rows * columns, 2): each around the first pixel of its stride."""
        rows, columns = self.grid
        y, x = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
        return (torch.stack([x, y], -1).view(-1, 2) * self.shape.backbone.stride + 0.5) \
            / self.shape.side

    def encode(self, picture):
        """Of the normalised picture: the encoder's output and the places of its cells."""
        features = self.project(self.backbone(picture))
        places = cell_waves(*features.shape[-2:], self.shape.width, picture.device)
        x = features.flatten(2).transpose(1, 2)
        for block in self.encoder["blocks"]:
            x = block(x, places)
        return x, places

    def decode(self, seen, places, groups):
        """The output of every layer, normed: (layers, batch, groups, queries, width)."""
        queries = self.queries[:groups]
        x = torch.zeros(seen.shape[0], *queries.shape, device=seen.device, dtype=seen.dtype)
        layers = []
        for block in self.decoder["blocks"]:
            x = block(x, queries, seen, places)
            layers.append(self.decoder["norm"](x))
        return torch.stack(layers)

    def answers(self, x):
        return self.labels(x).float(), self.boxes(x).float().sigmoid()

    def forward(self, picture):
        return self.answers(self.decode(*self.encode(picture), 1)[-1, :, 0])

    def loss(self, scene):
        """Called under autocast: the objects found by every group after every layer, and the cells
        that objects cover."""
        picture = to_input(scene["picture"]).contiguous(memory_format=torch.channels_last)
        seen, places = self.encode(picture)
        x = self.decode(seen, places, self.shape.groups).transpose(1, 2)
        copies = x.shape[0] * x.shape[1]
        logits, box = self.answers(x.flatten(0, 2))     # (copies * batch, queries, ...)
        repeated = {key: scene[key].repeat(copies, *[1] * (scene[key].ndim - 1))
                    for key in ("label", "box", "valid", "number")}
        return (2 * found_loss(logits, box, repeated, self.shape.quality)
                + covered_loss(self.cell_labels(seen).float(),
                               self.cell_boxes(seen).float().sigmoid(), scene))

    def count_nothing_in_full(self):
        count_nothing_in_full(self.labels)


def grid_queries(shape):
    """Places on a grid, shifted a little from group to group, in the first few waves alone."""
    columns = math.ceil(math.sqrt(shape.queries))
    rows = math.ceil(shape.queries / columns)
    y, x = torch.meshgrid((torch.arange(rows) + 0.5) / rows,
                          (torch.arange(columns) + 0.5) / columns, indexing="ij")
    at = torch.stack([x, y], -1).view(1, -1, 2)[:, :shape.queries].repeat(shape.groups, 1, 1)
    at[1:] += (torch.rand(shape.groups - 1, shape.queries, 2) - 0.5) / columns
    told = (torch.arange(shape.width) % (shape.width // 2)) < 2 * WAVES
    return SHARPNESS * waves(at, shape.width) * told + 0.1 * torch.randn(
        shape.groups, shape.queries, shape.width)
