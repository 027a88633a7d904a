"""Packs photographs out of a clone of a public repository, and their boxes, into chunks.

    python3 pack_photos.py CLONE boxes.json.gz -o packed
    python3 pack_photos.py CLONE boxes.json.gz --captions coco_captions.tsv.gz -o packed

The first command packs the pictures with boxes, the second those of them that have captions, too.
A chunk is a NumPy archive: `bytes`, the encoded pictures one after the other, `ends`, where each
ends, `ids`, and what is known of them. Chunks are drawn at random, so that the first few are as
good a sample as any. Pictures to train on are encoded anew, small; those to measure on are kept as
they are.
"""
import argparse
import concurrent.futures
import functools
import gzip
import io
import json
import pathlib
import random
import subprocess

import numpy as np
from PIL import Image

import photo_captions

QUALITY, EFFORT, SIDE = 30, 2, 256      # WebP: 6.2 KB for 256x256 pixels, 31 dB
COCO = "a2978a7048f2cde061a0d0d66ce2dcc576647857"       # hai4h/cnn-edge-detection
CHUNKS = dict(coco=11, captioned=3)                     # of some 60 MB


class Clone:
    """Files of one commit of a git repository."""

    def __init__(self, path, commit):
        self.path, self.commit = path, commit

    def files(self, folder):
        """Blob names by path."""
        lines = self.git("ls-tree", "-r", self.commit, folder).decode().splitlines()
        return {line.split("\t")[1]: line.split()[2] for line in lines}

    def git(self, *command):
        return subprocess.check_output(["git", "-C", self.path, *command])


@functools.cache
def reader(path):
    """One process of git that hands out blobs, for each process of ours."""
    return subprocess.Popen(["git", "-C", path, "cat-file", "--batch"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)


def read(path, blob):
    process = reader(path)
    process.stdin.write(blob.encode() + b"\n")
    process.stdin.flush()
    size = int(process.stdout.readline().split()[2])
    return process.stdout.read(size + 1)[:size]


def encode(path, quality, side, blob):
    """A picture as WebP, or as it is where no quality is given."""
    stored = read(path, blob)
    if not quality:
        return stored
    picture = Image.open(io.BytesIO(stored)).convert("RGB")
    if picture.size != (side, side):
        picture = picture.resize((side, side), Image.LANCZOS)
    result = io.BytesIO()
    picture.save(result, "WEBP", quality=quality, method=EFFORT)
    return result.getvalue()


def pack(pool, clone, blobs, quality, side, file, **known):
    """Writes a chunk. It appears under its name only when it is whole."""
    if file.exists():
        return
    encoded = functools.partial(encode, clone.path, quality, side)
    pictures = list(pool.map(encoded, blobs, chunksize=64))
    beside = file.with_suffix(".part.npz")
    np.savez(beside, bytes=np.frombuffer(b"".join(pictures), np.uint8),
             ends=np.cumsum([len(picture) for picture in pictures]), **known)
    beside.rename(file)
    print(f"{file}: {len(blobs)} pictures, {file.stat().st_size / 1e6:.1f} MB", flush=True)


def shuffled(items):
    items = list(items)
    random.Random(0).shuffle(items)
    return items


def pack_coco(options, pool):
    """Pictures without any box are measured on but not trained on: which of the others are empty
    and which only lack annotations cannot be told."""
    clone = Clone(options.clone, COCO)
    annotations = json.load(gzip.open(options.boxes))
    blobs = {int(pathlib.Path(path).stem): blob
             for path, blob in clone.files("train2017/").items()}
    boxes = {int(key): value for key, value in annotations["boxes"].items()}
    categories = {int(key): index for index, key in enumerate(annotations["categories"])}

    def known(ids):
        rows = [row for key in ids for row in boxes.get(key, [])]
        return dict(
            ids=np.array(ids), box_ends=np.cumsum([len(boxes.get(key, [])) for key in ids]),
            labels=np.array([categories[row[0]] for row in rows], np.uint8),
            boxes=np.array([row[1:] for row in rows], np.uint16))      # x, y, w, h in 1/1024

    val = sorted(annotations["val"])
    pack(pool, clone, [blobs[key] for key in val], None, SIDE,
         options.output / "coco-val.npz",
         names=np.array(list(annotations["categories"].values())), **known(val))
    train, name = set(boxes) - set(val), "coco"
    if options.captions:
        train, name = train & captioned(options.captions), "captioned"
    train = shuffled(sorted(train))
    for index, ids in enumerate(np.array_split(train, options.chunks or CHUNKS[name])):
        ids = ids.tolist()
        pack(pool, clone, [blobs[key] for key in ids], options.quality, options.side,
             options.output / f"{name}-{index:02}.npz", **known(ids))


def captioned(file):
    """The pictures that have captions to train on."""
    return {int(picture) for picture in photo_captions.read(file)["train"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("clone", help="a clone of the repository named in README.md")
    parser.add_argument("boxes", help="boxes.json.gz, as annotations.py writes it")
    parser.add_argument("--captions", help="coco_captions.tsv.gz: pictures with captions alone")
    parser.add_argument("--chunks", type=int, help="to train on")
    parser.add_argument("--quality", type=int, default=QUALITY, help="of WebP")
    parser.add_argument("--side", type=int, default=SIDE,
                        help="of pictures to train on, in pixels: 192 takes 2.3 KB at quality 12")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("packed"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor(options.processes) as pool:
        pack_coco(options, pool)


if __name__ == "__main__":
    main()
