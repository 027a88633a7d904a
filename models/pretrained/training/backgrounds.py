"""What emoji lie on: photographs and procedural patterns, with shapes strewn over them."""
import concurrent.futures
import math
import pathlib

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

PHOTOGRAPHS = 0.75      # share of backgrounds; the others are procedural
SHAPES = 3              # most rectangles and ellipses in a scene


def load_photographs(folder, width, height):
    """Every picture below a folder, cropped to the frame's shape: (n, 3, height, width) uint8."""
    files = sorted(path for path in pathlib.Path(folder).rglob("*")
                   if path.suffix.lower() in (".jpg", ".jpeg", ".png", ".webp"))
    if not files:
        raise SystemExit(f"no photographs in {folder}: see README.md")

    def load(path):
        picture = Image.open(path).convert("RGB")
        wide = min(picture.width, round(picture.height * width / height))
        high = min(picture.height, round(picture.width * height / width))
        left, top = (picture.width - wide) // 2, (picture.height - high) // 2
        picture = picture.resize((width, height), Image.BICUBIC,
                                 box=(left, top, left + wide, top + high))
        return torch.from_numpy(np.array(picture)).permute(2, 0, 1)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        return torch.stack(list(pool.map(load, files)))


class Backgrounds:
    """Draws (count, 3, height, width) in 0..1."""

    def __init__(self, photographs, width, height, device):
        self.device, self.width, self.height = device, width, height
        self.photographs = photographs.to(device)
        y, x = torch.meshgrid((torch.arange(height, device=device) + 0.5) / height,
                              (torch.arange(width, device=device) + 0.5) / width, indexing="ij")
        self.x, self.y = x[None] - 0.5, y[None] - 0.5           # (1, height, width)

    def uniform(self, *shape, low=0.0, high=1.0):
        return torch.rand(*shape, device=self.device) * (high - low) + low

    def __call__(self, count):
        photograph, pattern = self.photograph(count), self.pattern(count)
        chosen = self.uniform(count, 1, 1, 1) < PHOTOGRAPHS
        picture = torch.where(chosen, photograph, pattern)
        for _ in range(SHAPES):
            picture = self.shape_over(picture, photograph.flip(0))
        return picture.clamp(0, 1)

    def photograph(self, count):
        """A crop of one, mirrored or not, and sharpened or not: small photographs are soft, and
        softness must not tell the background from the emoji."""
        chosen = torch.randint(0, self.photographs.shape[0], (count,), device=self.device)
        zoom = self.uniform(count, low=0.4, high=1.0)
        mirror = torch.where(self.uniform(count) < 0.5, -1.0, 1.0)
        right, down = (self.uniform(count, low=-1, high=1) * (1 - zoom) for _ in range(2))
        nothing = torch.zeros_like(zoom)
        crop = torch.stack([zoom * mirror, nothing, right, nothing, zoom, down], 1).view(-1, 2, 3)
        at = F.affine_grid(crop, (count, 3, self.height, self.width), align_corners=False)
        picture = F.grid_sample(self.photographs[chosen].float() / 255, at, mode="bilinear",
                                padding_mode="reflection", align_corners=False)
        soft = F.avg_pool2d(F.pad(picture, (2, 2, 2, 2), mode="replicate"), 5, 1)
        sharpen = (self.uniform(count, 1, 1, 1) < 0.5) * self.uniform(count, 1, 1, 1, high=1.5)
        return picture + sharpen * (picture - soft)

    def pattern(self, count):
        """Two colours mixed by a gradient, clouds, stripes or squares."""
        one, other = self.uniform(count, 3, 1, 1), self.uniform(count, 3, 1, 1)
        angle = self.uniform(count, 1, 1, high=2 * math.pi)
        along = self.x * angle.cos() + self.y * angle.sin()
        across = self.y * angle.cos() - self.x * angle.sin()
        rate = self.uniform(count, 1, 1, low=2, high=14) * 2 * math.pi
        edge = self.uniform(count, 1, 1, low=1, high=20)
        stripes = (torch.sin(along * rate + angle) * edge).clamp(-1, 1) / 2 + 0.5
        squares = (torch.sin(along * rate) * torch.sin(across * rate) * 20).clamp(-1, 1) / 2 + 0.5
        clouds = self.clouds(count)
        kind = self.uniform(count, 1, 1)
        mix = torch.where(kind < 0.3, (along + 0.5).clamp(0, 1),
                          torch.where(kind < 0.7, clouds,
                                      torch.where(kind < 0.85, stripes, squares)))[:, None]
        rough = clouds[:, None] - 0.5
        mixed = one + (other - one) * mix + rough * self.uniform(count, 3, 1, 1, high=0.3)
        plain = one + rough * 0.08
        return torch.where(self.uniform(count, 1, 1, 1) < 0.12, plain, mixed)

    def clouds(self, count):
        """Noise of several octaves: (count, height, width)."""
        total = 0
        for columns, weight in ((3, 0.45), (8, 0.27), (24, 0.17), (80, 0.11)):
            grid = torch.rand(count, 1, columns * 3 // 4 + 1, columns, device=self.device)
            total = total + weight * F.interpolate(grid, size=(self.height, self.width),
                                                   mode="bilinear", align_corners=False)[:, 0]
        return ((total - 0.5) * 2.2 + 0.5).clamp(0, 1)

    def shape_over(self, picture, filling):
        """With some chance a rectangle or an ellipse, filled with a colour or a photograph."""
        count = picture.shape[0]
        number = lambda low, high: self.uniform(count, 1, 1, low=low, high=high)
        x, y = self.x - number(-0.5, 0.5), self.y - number(-0.5, 0.5)
        x, y = x * self.width, y * self.height
        angle = number(0, math.pi)
        along = (x * angle.cos() + y * angle.sin()) / number(8, 75)
        across = (y * angle.cos() - x * angle.sin()) / number(8, 75)
        far = torch.where(number(0, 1) < 0.5, torch.maximum(along.abs(), across.abs()),
                          (along ** 2 + across ** 2).sqrt())
        cover = ((1 - far) * 12).clamp(0, 1) * (number(0, 1) < 0.3)
        colour = self.uniform(count, 3, 1, 1) * (1 + 0.3 * across[:, None])
        fill = torch.where(self.uniform(count, 1, 1, 1) < 0.5, filling, colour)
        return picture + (fill.clamp(0, 1) - picture) * cover[:, None]
