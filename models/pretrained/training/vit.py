"""A vision transformer as in Hugging Face's ViT and YOLOS: pre-norm, one class token, learned
positions, and for a detector a row of detection tokens behind the patches."""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Shape:
    width: int = 128
    layers: int = 8
    heads: int = 4
    image: tuple = (240, 320)       # height, width
    patch: int = 20
    detection_tokens: int = 0

    @property
    def grid(self):
        return self.image[0] // self.patch, self.image[1] // self.patch

    @property
    def patches(self):
        return self.grid[0] * self.grid[1]


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-6), nn.LayerNorm(width, eps=1e-6)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return self.along(x, F.scaled_dot_product_attention(*self.heads_of(x)))

    def looked(self, x):
        """The same, and what each token looks at, averaged over the heads."""
        q, k, v = self.heads_of(x)
        weights = (q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5).softmax(-1)
        return self.along(x, weights.to(v.dtype) @ v), weights.float().mean(1)

    def heads_of(self, x):
        """Queries, keys and values, (batch, heads, tokens, width of a head) each."""
        batch, tokens, _ = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, tokens, 3, self.heads, -1)
        return qkv.permute(2, 0, 3, 1, 4)

    def along(self, x, mixed):
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class ViT(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        width = shape.width
        self.patch = nn.Linear(3 * shape.patch ** 2, width)
        self.cls = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.positions = nn.Parameter(torch.cat([
            torch.randn(1, width) * 0.02, 0.3 * waves(width, *shape.grid),
            torch.randn(shape.detection_tokens, width) * 0.3])[None])
        if shape.detection_tokens:
            self.detection = nn.Parameter(torch.randn(1, shape.detection_tokens, width) * 0.3)
        self.blocks = nn.ModuleList(Block(width, shape.heads) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        nn.init.xavier_uniform_(self.patch.weight)
        nn.init.zeros_(self.patch.bias)
        for block in self.blocks:
            for layer in (block.qkv, block.up, block.out, block.down):
                ends = layer in (block.out, block.down)
                nn.init.trunc_normal_(layer.weight,
                                      std=0.02 / math.sqrt(shape.layers) if ends else 0.02)
                nn.init.zeros_(layer.bias)

    def forward(self, picture, also=()):
        """Tokens after the last block, normed, and after the blocks named in `also`, normed too."""
        x = self.embed(picture)
        others = []
        for index, block in enumerate(self.blocks):
            x = block(x)
            if index in also:
                others.append(self.norm(x))
        return (self.norm(x), others) if also else self.norm(x)

    def rollout(self, picture):
        """How much of each patch reaches the class token when attention, mixed half and half with
        the residual path, is followed through the layers: (batch, patches), in sum 1."""
        x, layers = self.embed(picture), []
        for block in self.blocks:
            x, weights = block.looked(x)
            layers.append(weights)
        reached = torch.zeros(len(x), 1, x.shape[1], device=x.device)
        reached[..., 0] = 1                                 # all of it is the class token's
        for weights in reversed(layers):
            reached = (reached + reached @ weights) / 2
        patches = reached[:, 0, 1:].float()
        return patches / patches.sum(1, keepdim=True)

    def embed(self, picture):
        """Of a picture of the usual size, or of another one without detection tokens."""
        batch, side = picture.shape[0], self.shape.patch
        rows, columns = picture.shape[2] // side, picture.shape[3] // side
        patches = picture.view(batch, 3, rows, side, columns, side).permute(0, 2, 4, 1, 3, 5)
        tokens = self.patch(patches.reshape(batch, rows * columns, -1))
        parts = [self.cls.expand(batch, -1, -1).to(tokens.dtype), tokens]
        if self.shape.detection_tokens:
            parts.append(self.detection.expand(batch, -1, -1).to(tokens.dtype))
        positions = self.positions
        if (rows, columns) != self.shape.grid:
            positions = resized(positions, self.shape.grid, (rows, columns))
        return torch.cat(parts, 1) + positions.to(tokens.dtype)


def resized(positions, old, new):
    """Positions of a class token and a grid (rows, columns) of patches, for another grid."""
    first, grid = positions.float()[:, :1], positions.float()[:, 1:1 + old[0] * old[1]]
    grid = F.interpolate(grid.view(1, *old, -1).permute(0, 3, 1, 2), new, mode="bilinear",
                         align_corners=False)
    return torch.cat([first, grid.flatten(2).transpose(1, 2)], 1)


def waves(width, rows, columns):
    """Positions to start from: sines and cosines of the column, then of the row."""
    y, x = torch.meshgrid(torch.arange(rows).float(), torch.arange(columns).float(), indexing="ij")
    rates = 100 ** -(torch.arange(width // 4) / (width // 4))
    parts = [turned for axis in (x, y) for angle in (axis.reshape(-1, 1) * rates,)
             for turned in (angle.sin(), angle.cos())]
    return torch.cat(parts, 1)
