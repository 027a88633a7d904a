"""What is said about a scene, and the byte-level BPE that it is said in.

    nothing
    two keys
    an owl above a bee
    a dog to the left of a cat
    a bus, two keys and a moon

Objects are named from left to right, equal ones together, by number; two different ones by how
they lie to each other.
"""
import collections

import torch

from classes import NAMES, PLURALS
from scenes import OBJECTS
from tokenizer import SPACE, Tokenizer

NUMBERS = ["a", "two", "three", "four", "five", "six"]
JOINTS = ["", ",", "and", "above", "to the left of"]
NONE, COMMA, AND, ABOVE, LEFT_OF = range(len(JOINTS))
LENGTH = 26                         # tokens at most, with the start and the end


def phrase(label, number):
    if number > 1:
        return f"{NUMBERS[number - 1]} {PLURALS[label]}"
    return ("an " if NAMES[label][0] in "aeiou" else "a ") + NAMES[label]


class Captions(Tokenizer):
    """Token ids of the captions of whole batches, on the device."""

    def __init__(self, device):
        phrases = [[phrase(label, number + 1) for number in range(OBJECTS)]
                   for label in range(len(NAMES))]
        self.counts = {text: (label, number + 1) for label, row in enumerate(phrases)
                       for number, text in enumerate(row)}
        words = {word for text in self.counts for word in text.split()}
        words |= {word for joint in JOINTS for word in joint.split() if word != ","} | {"nothing"}
        super().__init__({SPACE + word: 1 for word in words})
        self.phrases, self.phrase_lengths = self.table(sum(phrases, []), device)
        self.joints, self.joint_lengths = self.table(JOINTS, device)
        self.nothing = self.encode("nothing")[0]

    def encode(self, text):
        """Of our own words: each is one token."""
        return [self.ids["," if word == "," else SPACE + word] for word in text.split()]

    def table(self, texts, device):
        """(texts, 4) ids, padded, and their lengths."""
        rows = [self.encode(text) for text in texts]
        ids = torch.tensor([row + [self.end] * (4 - len(row)) for row in rows], device=device)
        return ids, torch.tensor([len(row) for row in rows], device=device)

    def __call__(self, scene):
        """ids (batch, LENGTH), and which of ids[:, 1:] are to be said, the end included."""
        label, valid, box = scene["label"], scene["valid"], scene["box"]
        batch, slots = label.shape
        order = torch.where(valid, box[..., 0], 9.0).sort(1)[1]
        label, valid, x, y = (torch.gather(part, 1, order) for part in (
            label, valid, box[..., 0] * 4, box[..., 1] * 3))      # a frame is 4 wide and 3 high
        same = (label[:, :, None] == label[:, None]) & valid[:, :, None] & valid[:, None]
        earlier = torch.ones(slots, slots, dtype=torch.bool, device=label.device).tril(-1)
        first = valid & ~(same & earlier).any(2)
        rank = first.long().cumsum(1) - 1
        kinds = first.sum(1, keepdim=True)

        pair = (valid.sum(1) == 2) & (kinds[:, 0] == 2)
        upright = pair & ((y[:, 1] - y[:, 0]).abs() > (x[:, 1] - x[:, 0]).abs())
        swap = (upright & (y[:, 1] < y[:, 0]))[:, None]
        label = torch.where(swap, torch.cat([label[:, 1:2], label[:, :1], label[:, 2:]], 1), label)

        joint = torch.where(rank == 0, NONE, torch.where(rank == kinds - 1, AND, COMMA))
        relation = torch.where(upright, ABOVE, LEFT_OF)[:, None]
        joint = torch.where(pair[:, None] & (rank == 1), relation, joint)
        joint = torch.where(first, joint, NONE)
        named = label * OBJECTS + (same.sum(2) - 1).clamp(min=0)
        pieces = torch.stack([self.joints[joint], self.phrases[named]], 2).view(batch, -1, 4)
        lengths = torch.stack([self.joint_lengths[joint],
                               self.phrase_lengths[named] * first], 2).view(batch, -1)
        empty = valid.sum(1) == 0
        pieces[:, 0, 0] = torch.where(empty, self.nothing, pieces[:, 0, 0])
        lengths[:, 0] = torch.where(empty, 1, lengths[:, 0])

        inside = torch.arange(4, device=label.device)
        place = (lengths.cumsum(1) - lengths)[..., None] + inside + 1
        used = inside < lengths[..., None]
        ids = torch.full((batch, LENGTH + 1), self.end, device=label.device)
        # what is not used goes into one place too many
        ids.scatter_(1, torch.where(used, place, LENGTH).view(batch, -1),
                     torch.where(used, pieces, self.end).view(batch, -1))
        said = torch.arange(LENGTH - 1, device=label.device)[None] <= lengths.sum(1, keepdim=True)
        return ids[:, :LENGTH], said

    def objects(self, text):
        """How many of which label a caption claims."""
        for joint in JOINTS[AND:]:
            text = text.replace(f" {joint} ", ",")
        claimed = collections.Counter()
        for part in text.split(","):
            if part.strip() in self.counts:
                label, number = self.counts[part.strip()]
                claimed[label] += number
        return claimed
