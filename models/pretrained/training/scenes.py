"""Scenes of emoji, composed on the GPU as they are needed, with their truth.

A scene holds up to OBJECTS emoji that the models know and up to STRANGERS that they do not, each
bare, on a card or on a phone's screen, over a photograph or a procedural background, and is then
looked at through a Camera. Nothing here waits for the GPU, so that a whole training step,
composing included, can be captured in a CUDA graph.
"""
import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from backgrounds import Backgrounds
from camera import Camera
from classes import NAMES

SIZE, PATCH = (320, 240), 20     # width and height of a scene unless others are asked for
OBJECTS, STRANGERS = 6, 2
SLOTS = OBJECTS + STRANGERS
CLASSES = len(NAMES)
LEVELS = 4              # of detail: full textures, halves, quarters, eighths
HALF_TEXTURE = 64.0     # half a texture's side, in pixels


@dataclass
class Style:
    """What kind of scenes to compose."""
    objects: tuple = (1, OBJECTS)    # fewest and most
    size: tuple = (0.08, 0.60)       # of an emoji, in heights of the frame
    empty: float = 0.0               # share of scenes without any known emoji
    strangers: float = 0.0           # share of scenes with emoji that are not known
    wide: float = 0.0                # share of 16:9 frames, squeezed to 4:3 like any input
    harsh: float = 0.0               # share of scenes that the camera sees badly
    main: bool = False               # the first object is the largest by far


TRAIN = Style(empty=0.35, strangers=0.35, wide=0.3, harsh=0.35)
CAPTION_TRAIN = Style(empty=0.12, strangers=0.3, wide=0.25, harsh=0.25)
TEST = Style(empty=0.02)
HARD = Style(empty=0.02, strangers=0.35, wide=0.3, harsh=1.0)

CLASSIFY_TRAIN = Style(objects=(1, 3), size=(0.25, 0.95), strangers=0.2, wide=0.3, harsh=0.35,
                       main=True)
CLASSIFY_TEST = Style(objects=(1, 1), size=(0.25, 0.95), main=True)
CLASSIFY_HARD = Style(objects=(1, 3), size=(0.25, 0.95), strangers=0.2, wide=0.3, harsh=1.0,
                      main=True)


class Scenes:
    """Composes `count` scenes a call: a dictionary of tensors with `count` rows.

    picture (3, height, width) in 0..1; label, valid (OBJECTS) and box (OBJECTS, 4) as centre and
    size in 0..1, valid ones first; number of valid ones; and for every patch the label and box of
    what covers it, patch_label (patches) with CLASSES for nothing, patch_box (patches, 4).
    """

    def __init__(self, emoji_file, photographs, style, device, size=SIZE, compiled=False):
        self.device, self.style = device, style
        self.width, self.height = size
        file = np.load(emoji_file)
        self.textures = mip_levels(np.concatenate([file["classes"], file["distractors"]]), device)
        self.kinds = self.textures.shape[0] // LEVELS
        self.outlines = torch.tensor(file["outlines"], device=device)
        self.frame = torch.tensor(size, dtype=torch.float, device=device)
        self.not_itself = 1 - torch.eye(SLOTS, device=device)
        y, x = torch.meshgrid(torch.arange(self.height, device=device) + 0.5,
                              torch.arange(self.width, device=device) + 0.5, indexing="ij")
        self.pixels = torch.stack([x, y, torch.ones_like(x)], -1).view(1, -1, 3)
        self.background = Backgrounds(photographs, *size, device)
        self.camera = Camera(*size, device)
        if compiled:
            for part in ("layer", "background", "camera"):
                setattr(self, part, torch.compile(getattr(self, part), dynamic=False))

    def restyled(self, style):
        """The same textures and photographs in scenes of another style."""
        other = object.__new__(Scenes)
        other.__dict__.update(self.__dict__, style=style)
        return other

    def uniform(self, *shape, low=0.0, high=1.0):
        return torch.rand(*shape, device=self.device) * (high - low) + low

    def chance(self, share, *shape):
        return torch.rand(*shape, device=self.device) < share

    @torch.no_grad()
    def __call__(self, count):
        placed = self.place(count)
        colour, through, seen, screen = self.compose(placed)
        background = self.background(count)
        picture = self.camera(colour + through * background, screen, placed["harsh"])
        return {"picture": picture, **self.truth(placed, *seen)}

    def place(self, count):
        """Chooses what is in the scenes and where; (count, SLOTS) of everything."""
        style, device = self.style, self.device
        few, most = style.objects
        number = torch.randint(few, most + 1, (count,), device=device)
        if most > 3:                            # a crowd is not the rule
            small = torch.randint(1, 4, (count,), device=device)
            number = torch.where(self.chance(0.35, count), small, number)
        number = torch.where(self.chance(style.empty, count), torch.zeros_like(number), number)
        slot = torch.arange(SLOTS, device=device)[None]
        stranger = (self.chance(style.strangers, count, 1) & self.chance(0.6, count, SLOTS)
                    & (slot >= OBJECTS))
        live = (slot < number[:, None]) & (slot < OBJECTS) | stranger

        label = torch.randint(0, CLASSES, (count, SLOTS), device=device)
        label = torch.where(self.chance(0.25, count, SLOTS), label[:, :1], label)   # twins
        other = torch.randint(CLASSES, self.kinds, (count, SLOTS), device=device)
        label = torch.where(slot < OBJECTS, label, other)

        low, high = style.size
        room = (1.6 / number.clamp(min=1).float().sqrt()).clamp(max=1.0)[:, None]
        size = low * ((high * room).clamp(min=1.5 * low) / low) ** self.uniform(count, SLOTS)
        if style.main:
            size = torch.where(slot == 0, size, size[:, :1] * self.uniform(count, SLOTS,
                                                                           low=0.2, high=0.5))
        half = size * self.height / 2
        harsh = self.chance(style.harsh, count).float()
        held = (torch.rand(count, 1, device=device) < 0.25 + 0.45 * harsh[:, None]) \
            & self.chance(0.7, count, SLOTS)
        phone = held & (torch.rand(count, SLOTS, device=device) < 0.2 + 0.3 * harsh[:, None])
        tilt = torch.where(phone, 0.08, 0.2) * (1 + 0.5 * harsh[:, None])
        x, y = self.spread(half, live)
        return dict(live=live, label=label, half=half, harsh=harsh, held=held, phone=phone,
                    **self.transform(half, x, y, label, tilt))

    def spread(self, half, live, tries=8):
        """Centres: of a few draws the one with least overlap, and now and then just any."""
        count = half.shape[0]
        margin = 0.75 * half[:, None]
        x = margin + self.uniform(count, tries, SLOTS) * (self.width - 2 * margin)
        y = margin + self.uniform(count, tries, SLOTS) * (self.height - 2 * margin)
        apart = ((x[..., None] - x[..., None, :]) ** 2 + (y[..., None] - y[..., None, :]) ** 2
                 + 1e-3).sqrt()
        reach = half[:, None, :, None] + half[:, None, None, :]
        both = live[:, None, :, None] & live[:, None, None, :]
        overlap = ((reach - apart).clamp(min=0) / reach * both * self.not_itself).sum((-1, -2))
        any_draw = self.chance(0.12, count, 1)
        best = torch.where(any_draw, self.uniform(count, tries), overlap).argmin(1)
        row = torch.arange(count, device=self.device)
        return x[row, best], y[row, best]

    def transform(self, half, x, y, label, tilt):
        """Homographies from a texture's -1..1 to pixels, and the boxes they make."""
        shape = half.shape
        turn = self.uniform(*shape, low=-1, high=1) * math.radians(25)
        stretch = torch.exp(self.uniform(*shape, low=-0.12, high=0.12))
        shear = self.uniform(*shape, low=-0.12, high=0.12)
        squeeze = torch.where(self.chance(self.style.wide, shape[0], 1), 0.75, 1.0)
        g = self.uniform(*shape, low=-1, high=1) * tilt
        h = self.uniform(*shape, low=-1, high=1) * tilt
        cos, sin = turn.cos() * half, turn.sin() * half
        a, b = cos * stretch * squeeze, (shear * cos - sin) * squeeze
        c, d = sin * stretch, cos + shear * sin
        to_pixels = torch.stack([a + x * g, b + x * h, x, c + y * g, d + y * h, y,
                                 g, h, torch.ones_like(g)], -1).view(*shape, 3, 3)
        outline = self.outlines[label.clamp(max=CLASSES - 1)]
        outline = torch.cat([outline, torch.ones_like(outline[..., :1])], -1)
        around = outline @ to_pixels.transpose(-1, -2)
        around = around[..., :2] / around[..., 2:]
        low, high = around.amin(2), around.amax(2)
        whole = area(high - low)
        low = torch.minimum(low.clamp(min=0), self.frame)
        high = torch.minimum(high.clamp(min=0), self.frame)
        inside = area((high - low).clamp(min=0)) / whole.clamp(min=1)
        box = torch.cat([(low + high) / 2 / self.frame, (high - low) / self.frame], -1)
        return dict(to_texture=inverse(to_pixels), box=box, inside=inside)

    def compose(self, placed):
        """Front to back: what is seen of every emoji, and how much of the background shows."""
        label, half, live = placed["label"], placed["half"], placed["live"].float()
        count = label.shape[0]
        level = torch.log2(HALF_TEXTURE / half).round().clamp(0, LEVELS - 1).long()
        looks = self.looks(placed)
        through = torch.ones(count, 1, self.height, self.width, device=self.device)
        colour = torch.zeros(count, 3, self.height, self.width, device=self.device)
        screen = torch.zeros_like(through)
        seen = []
        for slot in range(SLOTS):
            texture = self.textures[level[:, slot] * self.kinds + label[:, slot]]
            shade = self.textures[(LEVELS - 1) * self.kinds + label[:, slot]][:, 3:]
            colour, through, screen, *share = self.layer(
                texture, shade, placed["to_texture"][:, slot].contiguous(),
                live[:, slot].contiguous(), looks[:, slot].contiguous(), colour, through, screen)
            if slot < OBJECTS:
                seen.append(share)
        return colour, through, [torch.stack(share, 1) for share in zip(*seen)], screen

    def looks(self, placed):
        """How every emoji is shown: tint, print, shadow, and the card or phone behind it."""
        held, phone = placed["held"][..., None], placed["phone"][..., None]
        harsh, count = placed["harsh"][:, None, None], held.shape[0]
        shape = (count, SLOTS, 1)
        some = lambda low, high, *last: self.uniform(count, SLOTS, *(last or (1,)),
                                                     low=low, high=high)
        normal = lambda last: torch.randn(count, SLOTS, last, device=self.device)
        tint = torch.exp(normal(3) * 0.06) * torch.exp(normal(1) * 0.12)
        shadow = torch.cat([self.uniform(count, 1, 2, low=-0.25, high=0.25)
                            .expand(count, SLOTS, 2),
                            self.chance(0.5, count, 1, 1) * some(0.1, 0.6)], -1)
        width = torch.where(phone, some(1.0, 1.5), some(1.05, 1.6))
        height = torch.where(phone, width * some(1.5, 2.1), some(1.05, 1.6))
        slide = torch.where(phone, some(-0.4, 0.4), torch.zeros(shape, device=self.device))
        bezel = phone * some(0.03, 0.12)
        white, black, any_colour = some(0.75, 1.0), some(0, 0.15), some(0, 1, 3)
        kind = self.uniform(*shape)
        inner = torch.where(kind < 0.6, white, torch.where(kind < 0.76, black, any_colour))
        outer = torch.where(self.chance(0.8, *shape), black, any_colour)
        fade = (held & ~phone) * harsh * some(0, 0.3)      # a print is paler than a screen
        return torch.cat([tint, fade, shadow, held.float(), phone.float(), width, height, slide,
                          bezel, inner, outer], -1)

    def layer(self, texture, shade, to_texture, live, look, colour, through, screen):
        """Puts one emoji, what it is held on, and its shadow behind all that came before."""
        count = live.shape[0]
        tint, fade, shift, dark, held, phone, width, height, slide, bezel, inner, outer = (
            part.view(count, -1, 1, 1)
            for part in look.split([3, 1, 2, 1, 1, 1, 1, 1, 1, 1, 3, 3], -1))
        live = live.view(count, 1, 1, 1)
        at = self.pixels @ to_texture.transpose(1, 2)
        at = (at[..., :2] / at[..., 2:].clamp(min=1e-3)).view(count, self.height, self.width, 2)
        emoji = sample(texture, at) * live
        alpha = emoji[:, 3:]
        printed = emoji[:, :3] * tint * (1 - fade) + alpha * fade * inner
        visible = through * alpha

        u, v = at[..., 0][:, None].abs(), (at[..., 1][:, None] - slide).abs()
        edge = lambda inset: ((torch.minimum(width - inset - u, height - inset - v) * 30)
                              .clamp(0, 1) * held * live)
        whole, glass = edge(0), edge(bezel)
        screen = screen + through * glass * phone
        colour = colour + through * printed
        through = through * (1 - alpha)
        colour = colour + through * (glass * inner + (whole - glass) * outer)
        through = through * (1 - whole)
        shadow = sample(shade, at - shift.view(count, 1, 1, 2)) * dark * live
        through = through * (1 - shadow)
        return (colour, through, screen, F.avg_pool2d(visible, PATCH).flatten(1),
                visible.sum((1, 2, 3)), alpha.sum((1, 2, 3)))

    def truth(self, placed, covered, visible, drawn):
        """What a viewer can be asked for: emoji that are mostly there and mostly uncovered."""
        label, box = placed["label"][:, :OBJECTS], placed["box"][:, :OBJECTS]
        valid = (placed["live"][:, :OBJECTS] & (placed["inside"][:, :OBJECTS] > 0.5)
                 & (visible > 0.35 * drawn)
                 & (visible > 6e-4 * self.width * self.height))
        most, owner = (covered * valid[..., None]).max(1)
        patch_label = torch.where(most > 0.12, torch.gather(label, 1, owner),
                                  torch.full_like(owner, CLASSES))
        patch_box = torch.gather(box, 1, owner[..., None].expand(-1, -1, 4))
        order = torch.sort((~valid).int(), dim=1, stable=True)[1]
        return dict(label=torch.gather(label, 1, order), valid=torch.gather(valid, 1, order),
                    box=torch.gather(box, 1, order[..., None].expand(-1, -1, 4)),
                    number=valid.sum(1), patch_label=patch_label, patch_box=patch_box)


class SceneBuffer:
    """A ring of composed scenes: a batch is a few new ones and many older ones."""

    def __init__(self, scenes, batch, fresh, capacity):
        self.scenes, self.batch, self.fresh = scenes, batch, fresh
        self.capacity = capacity // fresh * fresh
        self.slot = torch.arange(fresh, device=scenes.device)
        self.next = torch.zeros((), dtype=torch.long, device=scenes.device)
        self.filled = torch.zeros((), device=scenes.device)
        self.ring = None

    @torch.no_grad()
    def __call__(self):
        new = self.scenes(self.fresh)
        new["picture"] = to_bytes(new["picture"])
        if self.ring is None:
            self.ring = {name: torch.zeros(self.capacity, *value.shape[1:], dtype=value.dtype,
                                           device=value.device) for name, value in new.items()}
        here = self.next + self.slot
        for name, value in new.items():
            self.ring[name].index_copy_(0, here, value)
        self.next.copy_((self.next + self.fresh) % self.capacity)
        self.filled.copy_((self.filled + self.fresh).clamp(max=self.capacity))
        older = torch.rand(self.batch - self.fresh, device=self.scenes.device) * self.filled
        chosen = torch.cat([here, older.long().clamp(max=self.capacity - 1)])
        return {name: value[chosen] for name, value in self.ring.items()}


def test_scenes(scenes, number, seed, batch=256):
    """The same scenes every time, as a list of batches with pictures in bytes."""
    torch.manual_seed(seed)
    batches = []
    for _ in range(0, number, batch):
        batches.append(scenes(min(batch, number)))
        batches[-1]["picture"] = to_bytes(batches[-1]["picture"])
    return batches


def to_bytes(picture):
    return (picture * 255).round().byte()


def to_input(picture):
    """Bytes to the models' input, -1..1."""
    return picture.float() / 127.5 - 1


def mip_levels(textures, device):
    """Premultiplied textures at every level of detail, all of one size so that one gather serves.

    (kinds, side, side, 4) uint8 -> (LEVELS * kinds, 4, side, side)
    """
    full = torch.tensor(textures.astype(np.float32) / 255).permute(0, 3, 1, 2)
    full = torch.cat([full[:, :3] * full[:, 3:], full[:, 3:]], 1)
    levels = [full] + [F.interpolate(F.avg_pool2d(full, 2 ** level), size=full.shape[-2:],
                                     mode="bilinear", align_corners=False)
                       for level in range(1, LEVELS)]
    return torch.cat(levels).to(device)


def sample(texture, at):
    return F.grid_sample(texture, at, mode="bilinear", padding_mode="zeros", align_corners=False)


def area(extent):
    return extent[..., 0] * extent[..., 1]


def inverse(matrix):
    """Of 3x3 matrices, by cofactors: torch's own waits for the GPU."""
    r0, r1, r2 = matrix.unbind(-2)
    cross = torch.linalg.cross
    columns = torch.stack([cross(r1, r2), cross(r2, r0), cross(r0, r1)], -1)
    return columns / (r0 * columns[..., 0]).sum(-1)[..., None, None]
