"""What people say about photographs: captions as token ids, and batches of both to train on."""
import collections
import gzip
import re

import numpy as np
import torch

import photos
from tokenizer import Tokenizer, cut

LENGTH = 26             # tokens at most, with the start and the end
MERGES = 4000           # learned, unless others are asked for
MOST = 5                # captions of a picture
UNKNOWN = -100          # the label of a patch of which nobody says what covers it


def plain(text):
    """Lower case, words alone: no reference is compared with more."""
    text = re.sub(r"[^a-z0-9' -]", " ", text.lower())
    return " ".join(word.strip("'-") for word in text.split() if word.strip("'-"))


def read(file):
    """{picture: [caption]} of every part, train and val or test."""
    parts = collections.defaultdict(lambda: collections.defaultdict(list))
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            picture, part, text = line.rstrip("\n").split("\t")
            parts[part][picture].append(text)
    return parts


class PhotoCaptions(Tokenizer):
    def __init__(self, texts, merges=MERGES):
        pieces = collections.Counter(piece for text in texts for piece in cut(plain(text)))
        super().__init__(pieces, merges)

    def table(self, pictures, captions):
        """ids (pictures, MOST, LENGTH) of the captions of each, ended and padded with the end, and
        how many there are."""
        ids = np.full((len(pictures), MOST, LENGTH), self.end, np.int16)
        number = np.zeros(len(pictures), np.int64)
        for row, picture in enumerate(pictures):
            for index, text in enumerate(captions.get(str(picture), [])[:MOST]):
                tokens = self.encode(plain(text))[:LENGTH - 2]
                ids[row, index, 1:1 + len(tokens)] = tokens
                number[row] = index + 1
        return ids, number


class CaptionBatches:
    """Pictures with captions, of COCO and, a share of them, of Flickr8k; what covers the patches is
    known of COCO's alone. One caption is to be said, all of them are there to compare with."""

    def __init__(self, coco, flickr, batch, share, side, cells, classes):
        self.stores = [(coco, batch - round(share * batch)), (flickr, round(share * batch))]
        self.rows = [torch.nonzero(store.known["captions"][:store.count])[:, 0]
                     if store else None for store, _ in self.stores]
        self.side, self.classes, self.cells = side, classes, cells.to(coco.device)

    def part(self, store, rows, count):
        device = store.device
        row = rows[(torch.rand(count, device=device) * len(rows)).long().clamp(max=len(rows) - 1)]
        window = photos.Window(count, device, least=0.7, most=1.15, shape=0.1, still=0.2)
        picture = photos.recolour(window.look(store.picture(row), self.side), strength=0.2)
        captions, references = store.known["captions"][row], store.known["ids"][row].long()
        which = (torch.rand(count, device=device) * captions).long()
        ids = references[torch.arange(count, device=device), which]
        if "box" in store.known:
            box, valid, order = window.boxes(store.known["box"][row], store.known["valid"][row])
            label = torch.gather(store.known["label"][row], 1, order)
            patch_label = photos.cover(label, box, valid, self.cells, self.classes)[0]
        else:
            patch_label = torch.full((count, len(self.cells)), UNKNOWN, device=device)
        return dict(picture=picture, ids=ids, references=references, captions=captions,
                    patch_label=patch_label)

    def __call__(self):
        parts = [self.part(store, rows, count)
                 for (store, count), rows in zip(self.stores, self.rows) if count]
        return {key: torch.cat([part[key] for part in parts]) for key in parts[0]}

    def every(self):
        """The captions of all pictures, and how many each has."""
        return [torch.cat([store.known[key][rows] for (store, _), rows
                           in zip(self.stores, self.rows) if store]) for key in ("ids", "captions")]


def said(batch, end):
    """The ids of a batch, and which of those after the first are to be said, the end included."""
    ids = batch["ids"]
    length = (ids[:, 1:] != end).sum(1, keepdim=True)
    return ids, torch.arange(ids.shape[1] - 1, device=ids.device)[None] <= length
