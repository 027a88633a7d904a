"""RT-DETR with a small ResNet-D, and what trains it within minutes instead of days.

Three things help that transformers' RTDetrForObjectDetection does not have; they are left behind on
export. Several groups of queries, each chosen by a first stage of its own and matched with the
objects on its own, teach one decoder. Every cell of the encoder's maps says what covers it and
where that ends; which map answers for an object goes by its size. And all layers of the decoder
answer, the first stage too.

A label's score is wanted as high as its box overlaps the object (the matchability-aware loss of
DEIM): queries that share an object are then told apart by how well they found it.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

import boxes
import deformable
import detector
from assignment import assign
from detector import Mlp
from detr import Attention, EncoderBlock, perceptron
from resnet import ConvNorm, settle, unsettle
from scenes import to_input

STRIDES = (8, 16, 32)
SIZES = ((0.0, 0.3), (0.15, 0.6), (0.35, 9.0))  # longer sides of the objects that a map answers for
ANCHOR = 0.05               # side of a box to start from, in the finest map
SHARPNESS = 1.5             # of the wanted scores: the overlap to this power
SELDOM = -math.log((1 - 0.01) / 0.01)   # where scores begin


@dataclass
class RtDetrShape:
    stem: int = 32                          # its three convolutions end in the first stage's width
    channels: tuple = (32, 96, 192, 288)
    depths: tuple = (1, 2, 3, 1)
    width: int = 128
    heads: int = 8
    inner: int = 512
    expansion: float = 0.5                  # of the fusing blocks' inner width
    decoder_layers: int = 3
    points: int = 4
    queries: int = 100
    groups: int = 3                         # in training; the first one is kept
    classes: int = 80
    side: int = 256                         # of the square input

    def grids(self):
        return [(self.side // stride, self.side // stride) for stride in STRIDES]


class ResNetDBlock(nn.Module):
    """Two 3x3 convolutions; where it halves the map, the way past them is a mean of four cells."""

    def __init__(self, inputs, outputs, stride, first):
        super().__init__()
        self.layer = nn.ModuleList([ConvNorm(inputs, outputs, 3, stride),
                                    ConvNorm(outputs, outputs, 3)])
        self.shortcut = ConvNorm(inputs, outputs, 1) if first else None
        self.halves = stride == 2
        nn.init.zeros_(self.layer[1].normalization.weight)      # starts as no change

    def forward(self, x):
        y = self.layer[1](F.relu(self.layer[0](x)))
        if self.halves:
            x = F.avg_pool2d(x, 2)
        return F.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNetD(nn.Module):
    def __init__(self, shape):
        super().__init__()
        half = shape.stem // 2
        self.stem = nn.ModuleList([ConvNorm(3, half, 3, 2), ConvNorm(half, half, 3),
                                   ConvNorm(half, shape.stem, 3)])
        self.blocks = nn.ModuleList()           # stages of blocks
        inputs = shape.stem
        for stage, (outputs, depth) in enumerate(zip(shape.channels, shape.depths)):
            self.blocks.append(nn.ModuleList(
                ResNetDBlock(inputs if index == 0 else outputs, outputs,
                             2 if stage > 0 and index == 0 else 1, index == 0)
                for index in range(depth)))
            inputs = outputs

    def forward(self, picture):
        """The maps of the last three stages."""
        x = picture
        for layer in self.stem:
            x = F.relu(layer(x))
        x, maps = F.max_pool2d(x, 3, 2, 1), []
        for stage in self.blocks:
            for block in stage:
                x = block(x)
            maps.append(x)
        return maps[1:]


class Fusion(nn.Module):
    """CSP with three RepVGG blocks, of two maps to one."""

    def __init__(self, width, inner):
        super().__init__()
        self.inputs = nn.ModuleList([ConvNorm(2 * width, inner, 1), ConvNorm(2 * width, inner, 1)])
        self.bottlenecks = nn.ModuleList(
            nn.ModuleList([ConvNorm(inner, inner, 3), ConvNorm(inner, inner, 1)])
            for _ in range(3))
        self.out = ConvNorm(inner, width, 1)

    def forward(self, x):
        y = F.silu(self.inputs[0](x))
        for wide, narrow in self.bottlenecks:
            y = F.silu(wide(y) + narrow(y))
        return F.silu(self.out(y + F.silu(self.inputs[1](x))))


class HybridEncoder(nn.Module):
    """The coarsest map looks at itself; then maps are fused downwards and upwards again."""

    def __init__(self, shape):
        super().__init__()
        width, inner = shape.width, int(shape.width * shape.expansion)
        self.project = nn.ModuleList(ConvNorm(channels, width, 1)
                                     for channels in shape.channels[1:])
        self.attention_blocks = nn.ModuleList([EncoderBlock(shape)])
        self.lateral_blocks = nn.ModuleList(ConvNorm(width, width, 1) for _ in range(2))
        self.down_blocks = nn.ModuleList(Fusion(width, inner) for _ in range(2))
        self.halving_blocks = nn.ModuleList(ConvNorm(width, width, 3, 2) for _ in range(2))
        self.up_blocks = nn.ModuleList(Fusion(width, inner) for _ in range(2))

    def forward(self, maps):
        maps = [layer(x) for layer, x in zip(self.project, maps)]
        maps[2] = self.look(maps[2])
        top = F.silu(self.lateral_blocks[0](maps[2]))
        middle = self.down_blocks[0](torch.cat([twice(top), maps[1]], 1))
        middle = F.silu(self.lateral_blocks[1](middle))
        fine = self.down_blocks[1](torch.cat([twice(middle), maps[0]], 1))
        middle = self.up_blocks[0](torch.cat([F.silu(self.halving_blocks[0](fine)), middle], 1))
        top = self.up_blocks[1](torch.cat([F.silu(self.halving_blocks[1](middle)), top], 1))
        return [fine, middle, top]

    def look(self, x):
        rows, columns = x.shape[-2:]
        places = cell_waves(rows, columns, x.shape[1], x.device)
        tokens = x.flatten(2).transpose(1, 2)
        for block in self.attention_blocks:
            tokens = block(tokens, places)
        return tokens.transpose(1, 2).reshape(x.shape)


def twice(x):
    return F.interpolate(x, scale_factor=2.0, mode="nearest")


def cell_waves(rows, columns, width, device):
    """Positions of cells as RT-DETR has them: sines and cosines of the row, then of the column."""
    each = width // 4
    rate = 1 / 10000 ** (torch.arange(each, device=device) / each)
    y, x = torch.meshgrid(torch.arange(rows, device=device), torch.arange(columns, device=device),
                          indexing="ij")
    y, x = y.reshape(-1, 1) * rate, x.reshape(-1, 1) * rate
    return torch.cat([y.sin(), y.cos(), x.sin(), x.cos()], 1)


class Deformable(nn.Module):
    """Each head of a query looks at a few points of every map, around the query's box."""

    def __init__(self, shape):
        super().__init__()
        self.heads, self.points, self.grids = shape.heads, shape.points, shape.grids()
        levels = len(self.grids)
        self.offsets = nn.Linear(shape.width, self.heads * levels * self.points * 2)
        self.point_weights = nn.Linear(shape.width, self.heads * levels * self.points)
        self.value, self.out = (nn.Linear(shape.width, shape.width) for _ in range(2))
        for layer in (self.value, self.out):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        for layer in (self.offsets, self.point_weights):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        # a head each into one of eight directions, a point each a step further
        turn = torch.arange(self.heads) * (2 * math.pi / self.heads)
        direction = torch.stack([turn.cos(), turn.sin()], -1)
        direction = direction / direction.abs().amax(-1, keepdim=True)
        steps = torch.arange(1, self.points + 1).view(1, 1, -1, 1)
        bias = (direction.view(-1, 1, 1, 2) * steps).expand(-1, levels, -1, -1)
        self.offsets.bias.data.copy_(bias.reshape(-1))

    def forward(self, x, seen, box):
        """x (batch, queries, width) with their boxes, seen (batch, cells, width) of all maps."""
        batch, queries, width = x.shape
        shape = batch, queries, self.heads
        offsets = self.offsets(x).view(*shape, len(self.grids), self.points, 2).float()
        weights = self.point_weights(x).view(*shape, -1).float().softmax(-1)
        at = box[:, :, None, None, None, :2] \
            + offsets / self.points * box[:, :, None, None, None, 2:] * 0.5
        value = self.value(seen).view(batch, -1, self.heads, width // self.heads)
        mixed = deformable.sample(value, at, weights.view(at.shape[:-1]),
                                  [side for side, _ in self.grids])
        return self.out(mixed.reshape(batch, queries, width).to(x.dtype))


class DecoderBlock(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.self_attention = Attention(shape.width, shape.heads)
        self.deformable = Deformable(shape)
        self.up, self.down = perceptron(shape)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(shape.width) for _ in range(3))

    def forward(self, x, places, seen, box):
        """x, places (batch, groups, queries, width); groups do not see each other."""
        x = self.among(x, places)
        mixed = self.deformable((x + places).flatten(1, 2), seen, box.flatten(1, 2))
        return self.along(x, mixed.view(x.shape))

    def among(self, x, places):
        apart = x.flatten(0, 1).shape
        at = (x + places).view(apart)
        return self.norm1(x + self.self_attention(at, at, x.reshape(apart)).view(x.shape))

    def along(self, x, mixed):
        x = self.norm2(x + mixed)
        return self.norm3(x + self.down(F.relu(self.up(x))))


class FirstStage(nn.Module):
    """What each cell is worth as a query, and its box."""

    def __init__(self, shape):
        super().__init__()
        self.output, self.norm = nn.Linear(shape.width, shape.width), nn.LayerNorm(shape.width)
        self.labels, self.boxes = nn.Linear(shape.width, shape.classes), Mlp(shape.width, 4)
        begin(self.labels, self.boxes)

    def forward(self, seen, anchors, queries):
        """The best cells, their logits and boxes. Only what is chosen can learn from this, so that
        only this is computed once more for gradients."""
        with torch.no_grad():
            worth = self.labels(self.tell(seen)).float().amax(-1)
            best = worth.topk(queries, dim=1)[1][..., None]
        pick = lambda values: torch.gather(values, 1, best.expand(-1, -1, values.shape[-1]))
        chosen = self.tell(pick(seen))
        box = self.boxes(chosen).float() + pick(anchors.expand(len(seen), -1, -1))
        return chosen, self.labels(chosen).float(), box.sigmoid()

    def tell(self, seen):
        return self.norm(self.output(seen))


def begin(labels, box):
    """Heads at their start: nothing is likely, and boxes are what they are refined from."""
    nn.init.constant_(labels.bias, SELDOM)
    nn.init.zeros_(box.layers[2].weight)
    nn.init.zeros_(box.layers[2].bias)


class RtDetr(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape, layers = shape, range(shape.decoder_layers)
        self.backbone, self.encoder = ResNetD(shape), HybridEncoder(shape)
        self.project = nn.ModuleList(ConvNorm(shape.width, shape.width, 1) for _ in STRIDES)
        self.first = nn.ModuleList(FirstStage(shape) for _ in range(shape.groups))
        self.blocks = nn.ModuleList(DecoderBlock(shape) for _ in layers)
        self.labels = nn.ModuleList(nn.Linear(shape.width, shape.classes) for _ in layers)
        self.boxes = nn.ModuleList(Mlp(shape.width, 4) for _ in layers)
        self.places = nn.ModuleList([nn.Linear(4, 2 * shape.width),
                                     nn.Linear(2 * shape.width, shape.width)])
        self.cell_labels = nn.Linear(shape.width, shape.classes + 1)
        self.cell_boxes = Mlp(shape.width, 4)
        for heads in zip(self.labels, self.boxes):
            begin(*heads)
        nn.init.constant_(self.cell_labels.bias[-1], 3.0)
        nn.init.zeros_(self.cell_boxes.layers[2].weight)
        nn.init.zeros_(self.cell_boxes.layers[2].bias)
        self.register_buffer("anchors", self.make_anchors(), persistent=False)

    def cells(self):
        """Where the cells of all maps lie, (cells, 2)."""
        every = []
        for rows, columns in self.shape.grids():
            y, x = torch.meshgrid((torch.arange(rows) + 0.5) / rows,
                                  (torch.arange(columns) + 0.5) / columns, indexing="ij")
            every.append(torch.stack([x, y], -1).view(-1, 2))
        return torch.cat(every)

    def sizes(self):
        """Which objects a cell may answer for: least and greatest longer side, (cells, 2)."""
        return torch.cat([torch.tensor(size).expand(rows * columns, 2)
                          for size, (rows, columns) in zip(SIZES, self.shape.grids())])

    def make_anchors(self):
        """Boxes to start from, as logits: (1, cells, 4)."""
        side = torch.cat([torch.full((rows * columns, 2), ANCHOR * 2 ** level)
                          for level, (rows, columns) in enumerate(self.shape.grids())])
        return torch.logit(torch.cat([self.cells(), side], 1))[None]

    def encode(self, picture):
        """All cells of all maps, (batch, cells, width)."""
        maps = self.encoder(self.backbone(picture))
        return torch.cat([layer(x).flatten(2).transpose(1, 2)
                          for layer, x in zip(self.project, maps)], 1)

    def decode(self, seen, groups):
        """Labels and boxes of the first stage and of every layer: (1 + layers, batch, groups,
        queries, ...)."""
        chosen = [stage(seen, self.anchors, self.shape.queries) for stage in self.first[:groups]]
        x, logits, box = (torch.stack(part, 1) for part in zip(*chosen))
        x, answers = x.detach(), [(logits, box)]
        for block, labels, refine in zip(self.blocks, self.labels, self.boxes):
            box = box.detach()
            places = self.places[1](F.relu(self.places[0](box.to(x.dtype))))
            x = block(x, places, seen, box)
            box = (refine(x).float() + torch.logit(box, 1e-5)).sigmoid()
            answers.append((labels(x).float(), box))
        return [torch.stack(part) for part in zip(*answers)]

    def forward(self, picture):
        logits, box = self.decode(self.encode(picture), 1)
        return logits[-1, :, 0], box[-1, :, 0]

    def loss(self, scene):
        """Called under autocast: the objects found by every group after every layer, and the cells
        that objects cover."""
        picture = to_input(scene["picture"]).contiguous(memory_format=torch.channels_last)
        seen = self.encode(picture)
        logits, box = (part.transpose(1, 2) for part in self.decode(seen, self.shape.groups))
        copies = logits.shape[0] * logits.shape[1]
        repeated = {key: scene[key].repeat(copies, *[1] * (scene[key].ndim - 1))
                    for key in ("label", "box", "valid", "number")}
        cell_box = (self.cell_boxes(seen).float() + self.anchors).sigmoid()
        return (2 * scored_loss(logits.flatten(0, 2), box.flatten(0, 2), repeated)
                + 0.5 * detector.covered_loss(self.cell_labels(seen).float(), cell_box, scene))

    def settle(self):
        settle(self)

    @torch.no_grad()
    def go_on_from(self, released, look):
        """Takes a detector as load_rt_detr reads it, which has one group of queries: the others begin
        near it. look() shows pictures to this model, for its batch norms."""
        self.load_state_dict(released.state_dict())
        for stage in self.first[1:]:
            stage.load_state_dict(self.first[0].state_dict())
            weight = stage.output.weight
            weight += 0.1 * weight.std() * torch.randn_like(weight)
        unsettle(self, look)

    @torch.no_grad()
    def weigh(self, factor, shift):
        """Other scores for the same answers in the same order, see Detections.odds."""
        last = self.labels[-1]
        last.weight *= factor
        last.bias.copy_(factor * last.bias + shift)


def scored_loss(logits, box, scene):
    """Match, then scores that follow overlaps, L1 and generalised IoU."""
    label, target, valid = scene["label"], scene["box"], scene["valid"]
    with torch.no_grad():
        chosen = assign(scored_cost(logits, box, label, target), scene["number"])
    matched = torch.gather(box, 1, chosen[..., None].expand(-1, -1, 4))
    wanted = wanted_scores(logits, matched, chosen, scene)
    return (score_loss(logits, wanted) / valid.sum().clamp(min=1)
            + detector.box_loss(matched, target, valid.float()))


@torch.no_grad()
def wanted_scores(logits, matched, chosen, scene):
    """(batch, queries, classes): how well the query matched with an object overlaps it."""
    batch, queries, classes = logits.shape
    overlap = boxes.overlaps(matched, scene["box"])[0].clamp(0, 1) ** SHARPNESS
    at = torch.where(scene["valid"], chosen * classes + scene["label"], queries * classes)
    wanted = torch.zeros(batch, queries * classes + 1, device=logits.device)
    wanted.scatter_(1, at, overlap.clamp(min=1e-3))     # one column too many for what is not in use
    return wanted[:, :-1].view(batch, queries, classes)


def score_loss(logits, wanted):
    said = logits.sigmoid().detach()
    weight = torch.where(wanted > 0, 1.0, said ** SHARPNESS)
    return (F.binary_cross_entropy_with_logits(logits, wanted, reduction="none") * weight).sum()


def scored_cost(logits, box, label, target):
    """Of every target answered by every query: (batch, targets, queries)."""
    said = torch.gather(logits.transpose(1, 2), 1, label[..., None].expand(-1, -1, logits.shape[1]))
    score = said.sigmoid()
    right = 0.25 * (1 - score) ** 2 * F.softplus(-said)
    wrong = 0.75 * score ** 2 * F.softplus(said)
    apart = (target[:, :, None] - box[:, None]).abs().sum(-1)
    return 2 * (right - wrong) + 5 * apart - 2 * boxes.pairwise(target, box)[1]
