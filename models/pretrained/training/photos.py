"""Photographs on the GPU, as pack_photos.py packed them, and how they are varied for training.

    python3 photos.py packed -o unpacked    # decodes the chunks that have come since

A store may be trained on while it fills: chunks are taken in as they appear. Batches are
dictionaries as in scenes.py; nothing in making one waits for the GPU.
"""
import argparse
import concurrent.futures
import io
import math
import os
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

OBJECTS = 56            # most in a picture to train on; one in three thousand has more
SIDE = 256              # of stored pictures
CAPACITY = {"coco": 113_000, "captioned": 27_500}    # pictures to train on
GREY = 127.5            # what lies beyond a picture


def decode(job):
    """Some pictures of a chunk into their rows of the unpacked file."""
    chunk, rows, file = job
    packed = np.load(chunk)
    ends, stored = packed["ends"], packed["bytes"]
    pictures = np.load(file, mmap_mode="r+")
    for row in rows:
        begin = ends[row - 1] if row else 0
        picture = Image.open(io.BytesIO(stored[begin:ends[row]].tobytes())).convert("RGB")
        if picture.size != (SIDE, SIDE):
            picture = picture.resize((SIDE, SIDE), Image.BICUBIC)
        pictures[row] = np.asarray(picture)


def unpack(chunk, folder, pool, processes):
    """A chunk's pictures as one array of bytes, (n, SIDE, SIDE, 3). It appears under its name only
    when it is whole."""
    file = folder / (chunk.stem + ".npy")
    if file.exists():
        return
    began = time.time()
    number = len(np.load(chunk)["ends"])
    beside = folder / (chunk.stem + ".part")
    np.lib.format.open_memmap(beside, "w+", np.uint8, (number, SIDE, SIDE, 3)).flush()
    jobs = [(chunk, rows.tolist(), beside)
            for rows in np.array_split(np.arange(number), processes)]
    list(pool.map(decode, jobs))
    beside.rename(file)
    print(f"{file}: {number} pictures in {time.time() - began:.1f} s", flush=True)


def chunks_of(folder, name):
    """The chunks to train on, in their order: coco-00.npz and so on."""
    return sorted(pathlib.Path(folder).glob(f"{name}-[0-9][0-9].npz"))


class Annotations:
    """Boxes of a chunk's pictures, padded: box (n, objects, 4) as centre and size in 0..1, label
    and valid (n, objects)."""

    def __init__(self, packed, objects):
        ends = packed["box_ends"]
        number, begin = len(ends), np.concatenate([[0], ends[:-1]])
        self.label = np.zeros((number, objects), np.int64)
        self.box = np.zeros((number, objects, 4), np.float32)
        self.valid = np.zeros((number, objects), bool)
        corner = packed["boxes"].astype(np.float32) / 1024          # x, y, width, height
        every = np.concatenate([corner[:, :2] + corner[:, 2:] / 2, corner[:, 2:]], 1)
        labels = packed["labels"]
        for row in range(number):
            these = slice(begin[row], min(ends[row], begin[row] + objects))
            count = these.stop - these.start
            self.label[row, :count], self.box[row, :count] = labels[these], every[these]
            self.valid[row, :count] = True


class Store:
    """Pictures of bytes (capacity, SIDE, SIDE, 3) and arrays beside them, taken in chunk by chunk.

    annotate(packed) -> dictionary of arrays, a row a picture.
    """

    def __init__(self, packed, unpacked, name, annotate, device, most=100):
        self.packed, self.unpacked, self.name = pathlib.Path(packed), pathlib.Path(unpacked), name
        self.annotate, self.device, self.most = annotate, device, most
        self.taken, self.count, self.pictures, self.known = [], 0, None, {}
        self.available = torch.zeros((), dtype=torch.long, device=device)

    def refresh(self):
        """Takes in the chunks that have been unpacked since, in any order."""
        for chunk in chunks_of(self.packed, self.name)[:self.most]:
            file = self.unpacked / (chunk.stem + ".npy")
            if chunk.stem not in self.taken and file.exists():
                self.take(chunk, file)
        return self.count

    def take(self, chunk, file):
        pictures, known = np.load(file, mmap_mode="c"), self.annotate(np.load(chunk))
        if self.pictures is None:
            self.reserve(pictures, known)
        begin, end = self.count, min(self.count + len(pictures), len(self.pictures))
        self.pictures[begin:end].copy_(torch.from_numpy(pictures[:end - begin]))
        for key, values in known.items():
            self.known[key][begin:end].copy_(torch.from_numpy(values[:end - begin]))
        self.taken.append(chunk.stem)
        self.count = end
        self.available.fill_(end)
        print(f"  {self.name}: {self.count} pictures, with {chunk.stem}", flush=True)

    def reserve(self, pictures, known):
        capacity = CAPACITY.get(self.name, len(pictures))
        if self.most < 100:
            capacity = min(capacity, self.most * (len(pictures) + 1))
        make = lambda like: torch.zeros(capacity, *like.shape[1:], device=self.device,
                                        dtype=torch.from_numpy(like[:0]).dtype)
        self.pictures = make(np.array(pictures[:1]))
        self.known = {key: make(values) for key, values in known.items()}

    def wait(self, chunks=1):
        """Waits until this many chunks are there."""
        began = time.time()
        while self.refresh() == 0 or len(self.taken) < chunks:
            if time.time() - began > 600:
                raise SystemExit(f"no {self.name} chunks in {self.unpacked}: see README.md")
            time.sleep(0.5)

    def draw(self, count, weight=None):
        """Rows at random; of two candidates for each, those that `weight` (a value a row) favours."""
        row = (torch.rand(2 * count if weight is not None else count, device=self.device)
               * self.available).long().minimum(self.available - 1)
        if weight is None:
            return row
        chance = -(-torch.rand(2 * count, device=self.device).clamp(min=1e-9).log()).log()
        return row[(weight[row].log() + chance).topk(count)[1]]

    def picture(self, row):
        """(count, 3, SIDE, SIDE), bytes."""
        return self.pictures[row].permute(0, 3, 1, 2)


def boxes_known(packed):
    annotations = Annotations(packed, OBJECTS)
    return dict(label=annotations.label, box=annotations.box, valid=annotations.valid)


def held_out(packed, unpacked, device, most=None):
    """The COCO pictures to measure on, in batches, and the names of the classes."""
    packed = np.load(pathlib.Path(packed) / "coco-val.npz")
    pictures = np.load(pathlib.Path(unpacked) / "coco-val.npy", mmap_mode="r")
    known = Annotations(packed, 100)
    batches = []
    for begin in range(0, len(pictures[:most]), 256):
        rows = slice(begin, min(begin + 256, len(pictures[:most])))
        put = lambda array: torch.from_numpy(np.array(array[rows])).to(device)
        batches.append(dict(picture=put(pictures).permute(0, 3, 1, 2), label=put(known.label),
                            box=put(known.box), valid=put(known.valid), id=packed["ids"][rows]))
    return batches, packed["names"].tolist()


class Window:
    """Which part of each picture is shown, at random: of another size and shape, mirrored, or as it
    is."""

    def __init__(self, count, device, least, most, shape=0.2, still=0.25):
        uniform = lambda *size, low, high: torch.rand(*size, device=device) * (high - low) + low
        size = uniform(count, 1, low=math.log(least), high=math.log(most)).exp()
        wider = uniform(count, 1, low=-shape, high=shape)
        size = size * torch.cat([wider, -wider], 1).exp()
        moves = (torch.rand(count, 1, device=device) >= still).float()
        self.size = (size * moves + 1 - moves).clamp(max=most)      # (count, 2), x and y
        self.centre = 0.5 + uniform(count, 2, low=-0.5, high=0.5) * (1 - self.size).abs() * moves
        self.mirror = torch.ones(count, 2, device=device)
        self.mirror[:, 0] = torch.where(torch.rand(count, device=device) < 0.5, -1.0, 1.0)

    def look(self, picture, side):
        """(count, 3, any, any) in 0..255 -> (count, 3, side, side), grey beyond the picture."""
        return F.grid_sample(picture.float() - GREY, self.places(side), mode="bilinear",
                             padding_mode="zeros", align_corners=False) + GREY

    def places(self, side):
        """Where the middles of side times side cells lie in the whole picture, -1..1 inside it:
        (count, side, side, 2)."""
        turned = self.size * self.mirror
        shift = 2 * self.centre - 1
        nothing = torch.zeros_like(shift[:, 0])
        crop = torch.stack([turned[:, 0], nothing, shift[:, 0],
                            nothing, turned[:, 1], shift[:, 1]], 1).view(-1, 2, 3)
        return F.affine_grid(crop, (len(crop), 1, side, side), align_corners=False)

    def boxes(self, box, valid, visible=0.3, large=0.1, smallest=2 / 256):
        """The boxes (count, objects, 4) as they are then, and those of which enough can be seen, a
        share of the object or of the picture, these first: box, valid, and the order that was
        applied."""
        centre = (box[..., :2] - self.centre[:, None]) / self.size[:, None] \
            * self.mirror[:, None] + 0.5
        size = box[..., 2:] / self.size[:, None]
        low, high = (centre - size / 2).clamp(0, 1), (centre + size / 2).clamp(0, 1)
        seen = high - low
        area = seen[..., 0] * seen[..., 1]
        share = area / (size[..., 0] * size[..., 1]).clamp(min=1e-9)
        valid = valid & ((share > visible) | (area > large)) & (seen > smallest).all(-1)
        order = (~valid).long().sort(dim=1, stable=True)[1]
        box = torch.cat([(low + high) / 2, seen], -1)
        valid = torch.gather(valid, 1, order)
        box = torch.gather(box, 1, order[..., None].expand(-1, -1, 4)) * valid[..., None]
        return box, valid, order


def recolour(picture, strength=0.25, grey=0.05):
    """Brightness, contrast, saturation and tint at random; pictures in 0..255."""
    count, device = len(picture), picture.device
    number = lambda low, high, channels=1: torch.rand(
        count, channels, 1, 1, device=device) * (high - low) + low
    around = lambda channels=1, scale=1.0: number(-strength * scale, strength * scale,
                                                  channels).exp()
    plain = picture.mean(1, keepdim=True)
    saturation = torch.where(number(0, 1) < grey, 0.0, around())
    picture = plain + (picture - plain) * saturation
    middle = picture.mean((1, 2, 3), keepdim=True)
    picture = (middle + (picture - middle) * around()) * around() * around(3, 0.3)
    return picture.clamp(0, 255)


def cover(label, box, valid, cells, nothing, sizes=None):
    """What covers each of the cells (n, 2): the smallest object over its middle, of those whose
    longer side is within the cell's `sizes` (n, 2), if there are; an object too small to lie over
    any has the nearest. patch_label (batch, n) and patch_box (batch, n, 4)."""
    apart = (cells[None, :, None] - box[:, None, :, :2]).abs()      # (batch, n, objects, 2)
    fits = valid[:, None].expand(apart.shape[:3])
    if sizes is not None:
        longer = box[:, None, :, 2:].amax(-1)
        fits = fits & (longer >= sizes[:, 0, None]) & (longer <= sizes[:, 1, None])
    inside = (apart <= box[:, None, :, 2:] / 2).all(-1) & fits
    nearest = (apart.sum(-1) + 9.0 * ~fits).argmin(1)               # (batch, objects)
    there = torch.zeros_like(inside).scatter_(1, nearest[:, None], True) & fits
    area = (box[..., 2] * box[..., 3])[:, None]
    over = torch.where(inside | there, area, torch.full_like(area, 9.0))
    least, owner = over.min(-1)
    covered = least < 9
    patch_label = torch.where(covered, torch.gather(label, 1, owner), nothing)
    patch_box = torch.gather(box, 1, owner[..., None].expand(-1, -1, 4))
    return patch_label, patch_box * covered[..., None]


def mosaic(picture, label, box, valid):
    """Four pictures each as the quarters of one, and their objects, as many as are kept."""
    count, side = len(picture) // 4, picture.shape[-1]
    quarter = torch.arange(4, device=picture.device)
    corner = torch.stack([quarter % 2, quarter // 2, 0 * quarter, 0 * quarter], 1)
    picture = picture.view(count, 2, 2, 3, side, side).permute(0, 3, 1, 4, 2, 5)
    box = (box.view(count, 4, -1, 4) + corner[:, None]).flatten(1, 2) / 2
    label, valid = label.view(count, -1), valid.view(count, -1)
    order = (~valid).long().sort(dim=1, stable=True)[1][:, :OBJECTS]
    pick = lambda values: torch.gather(values, 1, order)
    box, valid = torch.gather(box, 1, order[..., None].expand(-1, -1, 4)), pick(valid)
    return picture.reshape(count, 3, 2 * side, 2 * side), pick(label), box * valid[..., None], valid


class DetectionBatches:
    """Batches of COCO to train a detector on: pictures shown in part, smaller or mirrored, and a
    share of them four in one."""

    def __init__(self, store, batch, side, cells, classes, sizes=None, mosaics=0.0):
        self.store, self.batch, self.side, self.classes = store, batch, side, classes
        self.cells = cells.to(store.device)
        self.sizes = None if sizes is None else sizes.to(store.device)
        self.mosaics = int(batch * mosaics)

    def views(self, count, side, least, smallest):
        row = self.store.draw(count)
        known = {key: values[row] for key, values in self.store.known.items()}
        window = Window(count, self.store.device, least=least, most=1.3)
        box, valid, order = window.boxes(known["box"], known["valid"], smallest=smallest)
        return (window.look(self.store.picture(row), side), torch.gather(known["label"], 1, order),
                box, valid)

    def __call__(self):
        parts = self.views(self.batch - self.mosaics, self.side, least=0.4, smallest=2 / 256)
        if self.mosaics:
            four = mosaic(*self.views(4 * self.mosaics, self.side // 2, 0.5, smallest=4 / 256))
            parts = [torch.cat(both) for both in zip(parts, four)]
        picture, label, box, valid = parts
        patch_label, patch_box = cover(label, box, valid, self.cells, self.classes, self.sizes)
        return dict(picture=recolour(picture), label=label, box=box, valid=valid,
                    number=valid.sum(1), patch_label=patch_label, patch_box=patch_box)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packed", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("unpacked"))
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor(options.processes) as pool:
        for chunk in sorted(options.packed.glob("*-*.npz")):
            unpack(chunk, options.output, pool, options.processes)


if __name__ == "__main__":
    main()
