"""Photographs of COCO with labels of the whole picture (things from its boxes, tags from its
captions) and with a detector's features: batches to learn from, and pictures to measure on."""
import numpy as np
import torch
import torch.nn.functional as F

import photos
import tags
from folders import load_rt_detr
from scenes import to_input
from several_labels import THINGS

AT_ONCE = 256           # pictures that the teacher looks at


class Teacher:
    """A detector's maps of whole pictures, feature by feature with mean 0 and variance 1."""

    def __init__(self, folder, device):
        self.model = load_rt_detr(folder).eval().to(device, memory_format=torch.channels_last)
        self.grids, self.mean, self.deviation = self.model.shape.grids(), None, None
        self.cells = sum(rows * columns for rows, columns in self.grids)
        self.width = self.model.shape.width

    @torch.no_grad()
    def look(self, picture):
        """(batch, 3, side, side) in bytes -> (batch, width, cells), half precision."""
        picture = to_input(picture).contiguous(memory_format=torch.channels_last)
        with torch.autocast(picture.device.type, dtype=torch.bfloat16, enabled=picture.is_cuda):
            seen = self.model.encode(picture).float().transpose(1, 2)
        if self.mean is None:
            self.state(seen)
        parts = seen.split([rows * columns for rows, columns in self.grids], 2)
        return torch.cat([(part - mean) / deviation for part, mean, deviation
                          in zip(parts, self.mean, self.deviation)], 2).half()

    def state(self, seen):
        """Mean and deviation of each feature of each map, by the first pictures."""
        parts = seen.split([rows * columns for rows, columns in self.grids], 2)
        self.mean = [part.mean((0, 2)).view(1, -1, 1) for part in parts]
        self.deviation = [part.std((0, 2)).clamp(min=1e-3).view(1, -1, 1) for part in parts]

    def maps(self, seen):
        """What look gave, as maps (batch, width, rows, columns)."""
        parts = seen.split([rows * columns for rows, columns in self.grids], 2)
        return [part.unflatten(2, grid) for part, grid in zip(parts, self.grids)]


class SeenStore(photos.Store):
    """Pictures, their labels, and the teacher's features, computed once as a chunk comes in."""

    def __init__(self, packed, unpacked, captions, teacher, device, most=100):
        super().__init__(packed, unpacked, "coco", lambda packed: annotated(packed, captions),
                         device, most)
        self.teacher, self.seen = teacher, None

    def take(self, chunk, file):
        begin = self.count
        super().take(chunk, file)
        if self.seen is None:
            self.seen = torch.zeros(len(self.pictures), self.teacher.width, self.teacher.cells,
                                    dtype=torch.half, device=self.device)
        for row in range(begin, self.count, AT_ONCE):
            rows = torch.arange(row, min(row + AT_ONCE, self.count), device=self.device)
            self.seen[row:row + len(rows)] = self.teacher.look(self.picture(rows))


def annotated(packed, captions):
    """Boxes, tags, and whether a picture has captions."""
    named, captioned = tags.table(packed["ids"].tolist(), captions)
    return dict(**photos.boxes_known(packed), tag=named, captioned=captioned)


def present(label, valid):
    """The things of which there is at least one, (batch, THINGS)."""
    there = torch.zeros(len(label), THINGS + 1, device=label.device)
    return there.scatter_(1, torch.where(valid, label, THINGS), 1.0)[:, :THINGS]


def middles(grid):
    """Of the cells of a square, (grid * grid, 2), x and y in 0..1."""
    y, x = torch.meshgrid(*[(torch.arange(grid) + 0.5) / grid] * 2, indexing="ij")
    return torch.stack([x, y], -1).view(-1, 2)


class LabelledBatches:
    """Parts of pictures, mirrored and recoloured, with their labels. `known` is 0 for the tags of a
    picture without captions, which are left out of the loss."""

    def __init__(self, store, batch, side, grid):
        self.store, self.batch, self.side, self.grid = store, batch, side, grid
        self.cells = middles(grid).to(store.device)

    def __call__(self):
        store = self.store
        row = store.draw(self.batch)
        known = {key: values[row] for key, values in store.known.items()}
        window = photos.Window(self.batch, store.device, least=0.4, most=1.1, still=0.15)
        box, valid, order = window.boxes(known["box"], known["valid"])
        label = torch.gather(known["label"], 1, order)
        picture = photos.recolour(window.look(store.picture(row), self.side), strength=0.3)
        patch_label = photos.cover(label, box, valid, self.cells, THINGS)[0]
        tag = known["tag"].float()
        said = known["captioned"].float()[:, None].expand_as(tag)
        things = present(label, valid)
        at = window.places(self.grid)
        seen = torch.cat([F.grid_sample(part.float(), at, mode="bilinear", padding_mode="border",
                                        align_corners=False).flatten(2)
                          for part in store.teacher.maps(store.seen[row])], 1)
        return dict(picture=picture, label=label, box=box, valid=valid, cells=self.cells,
                    named=torch.cat([things, tag], 1), patch_label=patch_label,
                    known=torch.cat([torch.ones_like(things), said], 1),
                    seen=seen.transpose(1, 2), inside=(at.abs() <= 1).all(-1).flatten(1).float())


def held_out(packed, unpacked, captions, device, most=None):
    """Pictures to measure on, in batches with the labels `named`, and the names of all labels."""
    batches, names = photos.held_out(packed, unpacked, device, most)
    for scene in batches:
        named, _ = tags.table(scene["id"].tolist(), captions)
        scene["named"] = torch.cat([present(scene["label"], scene["valid"]),
                                    torch.from_numpy(named).float().to(device)], 1)
    return batches, names + tags.TAGS
