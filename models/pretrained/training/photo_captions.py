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
    """Pictures with captions: one of these is to be said, all of them are there to compare with.
    Pictures with many captions come more often."""

    def __init__(self, store, batch, side, cells, classes):
        self.store, self.batch, self.side, self.classes = store, batch, side, classes
        self.cells = cells.to(store.device)

    def __call__(self):
        known, count, device = self.store.known, self.batch, self.store.device
        row = self.store.draw(count, known["captions"].clamp(min=1).sqrt())
        window = photos.Window(count, device, least=0.7, most=1.15, shape=0.1, still=0.2)
        picture = photos.recolour(window.look(self.store.picture(row), self.side), strength=0.2)
        captions, references = known["captions"][row], known["ids"][row].long()
        which = (torch.rand(count, device=device) * captions).long()
        ids = references[torch.arange(count, device=device), which]
        box, valid, order = window.boxes(known["box"][row], known["valid"][row])
        label = torch.gather(known["label"][row], 1, order)
        patch_label = photos.cover(label, box, valid, self.cells, self.classes)[0]
        return dict(picture=picture, ids=ids, references=references, captions=captions,
                    patch_label=patch_label)

    def every(self):
        """The captions of all pictures, and how many each has."""
        return [self.store.known[key][:self.store.count] for key in ("ids", "captions")]


def said(batch, end):
    """The ids of a batch, and which of those after the first are to be said, the end included."""
    ids = batch["ids"]
    length = (ids[:, 1:] != end).sum(1, keepdim=True)
    return ids, torch.arange(ids.shape[1] - 1, device=ids.device)[None] <= length
