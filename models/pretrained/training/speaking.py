"""How captioners of photographs learn to speak, and how they are asked.

First by the words that people said, one after the other. Then by whole sentences of their own: some
are drawn by chance, each is worth as much as it agrees with what people said of that picture
(CIDEr-D, computed on the GPU), and those that beat the mean of the others become likelier
(self-critical training, Rennie et al. 2017, with the baseline of Luo 2020).
"""
import math

import torch
import torch.nn.functional as F

from photo_captions import said
from scenes import to_input

ORDERS, SIGMA = 4, 6.0      # of CIDEr-D, as in caption_metrics.py
SMALL = 1e-9
WRONG_SEX = 1.0         # what it takes from the worth of a sentence to call a woman a man


def input_of(picture):
    return to_input(picture).contiguous(memory_format=torch.channels_last)


def word_loss(model, scene, end, smoothing, forgotten):
    """Cross entropy of the next word, and a little of what covers each cell where that is known. A
    share of the words before is forgotten, so that the picture must be looked at."""
    ids, counts = said(scene, end)
    seen = model.look(input_of(scene["picture"]))
    known = (torch.rand(ids[:, 1:].shape, device=ids.device) >= forgotten).to(seen.dtype)
    logits = model.read(ids[:, :-1], seen, known)
    entropy = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="none",
                              label_smoothing=smoothing)
    counts = counts.flatten().float()
    cells = model.cells(seen)
    return ((entropy * counts).sum() / counts.sum()
            + 0.25 * F.cross_entropy(cells.flatten(0, 1), scene["patch_label"].flatten()))


class Consensus:
    """CIDEr-D of sentences of ids, their end counted as a word, so that none stops halfway. How
    telling a run of words is follows from the pictures whose captions hold it: ids (pictures,
    captions, length) of them, and how many captions each has."""

    def __init__(self, ids, number, vocabulary, end):
        self.vocabulary, self.end = vocabulary, end
        self.log_pictures = math.log(len(ids))
        self.tables = []
        every = self.grams(ids.flatten(0, 1).long())[0]
        there = torch.arange(ids.shape[1], device=ids.device)[None] < number[:, None]
        for keys in every.unbind(1):
            keys = keys.view(*ids.shape[:2], -1).masked_fill(~there[..., None], -1).flatten(1)
            keys = keys.sort(1)[0]
            fresh = keys[:, 1:] != keys[:, :-1]
            fresh = torch.cat([torch.ones_like(fresh[:, :1]), fresh], 1) & (keys >= 0)
            self.tables.append(torch.unique(keys[fresh], return_counts=True))

    def grams(self, ids):
        """Runs of one to ORDERS words as numbers (batch, ORDERS, words), -1 where there is none, and
        how many words there are. ids (batch, length) begin with the start."""
        words = ids[:, 1:]
        ends = (words == self.end).long()
        inside = (ends.cumsum(1) - ends) == 0               # the first end included
        keys, key, whole = [], torch.zeros_like(words), inside
        for order in range(ORDERS):
            moved = F.pad(words[:, order:], (0, order))
            whole = whole & F.pad(inside[:, order:], (0, order))
            key = key * self.vocabulary + moved
            keys.append(key.masked_fill(~whole, -1))
        return torch.stack(keys, 1), inside.sum(1)

    def telling(self, keys):
        """How much each run of words counts, (batch, ORDERS, words)."""
        weights = []
        for order, (table, pictures) in enumerate(self.tables):
            key = keys[:, order].contiguous()
            at = torch.searchsorted(table, key).clamp(max=len(table) - 1)
            number = torch.where(table[at] == key, pictures[at], 1)
            weights.append((self.log_pictures - number.float().log()) * (key >= 0))
        return torch.stack(weights, 1)

    def __call__(self, ids, references, number):
        """(batch) of sentences (batch, length) by references (batch, captions, length)."""
        ours, our_length = self.grams(ids)
        our_weight, our_count = self.telling(ours), same(ours, ours)
        our_norm = norm(our_weight, our_count)
        total = torch.zeros(len(ids), device=ids.device)
        for index in range(references.shape[1]):
            theirs, their_length = self.grams(references[:, index])
            their_count = same(theirs, theirs)
            their_norm = norm(self.telling(theirs), their_count)
            count = same(ours, theirs)                      # of our runs in their sentence
            both = (torch.minimum(our_count, count) * count * our_weight ** 2
                    / our_count.clamp(min=1)).sum(-1)
            apart = (our_length - their_length).float()
            alike = (both / (our_norm * their_norm + SMALL)).sum(-1)
            total += alike * torch.exp(-apart ** 2 / (2 * SIGMA ** 2)) * (index < number)
        return 10 / ORDERS * total / number.clamp(min=1)


def same(ours, theirs):
    """How often each of our runs is among theirs: (batch, ORDERS, words)."""
    return ((ours[..., None] == theirs[:, :, None]) & (ours >= 0)[..., None]).sum(-1).float()


def norm(weight, count):
    """The length of the vector of all runs, each counted once."""
    return ((weight * count) ** 2 / count.clamp(min=1)).sum(-1).sqrt()


def by_chance(logits):
    uniform = torch.rand_like(logits).clamp(min=1e-20)
    return (logits - (-uniform.log()).log()).argmax(-1)


def sentence_loss(model, scene, end, consensus, sexes, samples, share=0.1):
    """Sentences drawn by chance, by how much better each is than the others of its picture; and, at
    a share, the words that people said."""
    seen = model.look(input_of(scene["picture"]))
    cells = model.cells(seen)
    ids = model.say(seen.detach(), end, by_chance, samples)
    references = scene["references"].repeat_interleave(samples, 0)
    worth = consensus(ids, references, scene["captions"].repeat_interleave(samples, 0))
    worth = (worth - WRONG_SEX * sexes.wrong(ids, references)).view(-1, samples)
    better = (worth - (worth.sum(1, keepdim=True) - worth) / (samples - 1)).view(-1, 1)
    counts = ends_counted(ids, end)
    likely = -F.cross_entropy(model.read(ids[:, :-1], seen).flatten(0, 1), ids[:, 1:].flatten(),
                              reduction="none").view(counts.shape)
    own = -(better * likely * counts).sum() / counts.sum()
    theirs, heard = said(scene, end)
    entropy = F.cross_entropy(model.read(theirs[:, :-1], seen).flatten(0, 1),
                              theirs[:, 1:].flatten(), reduction="none", label_smoothing=0.1)
    heard = heard.flatten().float()
    return (own + share * (entropy * heard).sum() / heard.sum()
            + 0.25 * share * F.cross_entropy(cells.flatten(0, 1), scene["patch_label"].flatten()))


def ends_counted(ids, end):
    """Which of the ids after the first are said, the first end included: (batch, length - 1)."""
    ends = (ids[:, 1:] == end).float()
    return ((ends.cumsum(1) - ends) == 0).float()


@torch.no_grad()
def greedy(model, picture, start):
    return model.say(model.look(input_of(picture)), start, lambda logits: logits.argmax(-1))


@torch.no_grad()
def beam_search(model, picture, start, beams, no_repeat=0):
    """The best of the sentences that `beams` of them at a time lead to, by their mean log
    probability, as transformers' generate() finds it: ids (batch, length)."""
    seen = model.look(input_of(picture))
    batch, device = len(seen), seen.device
    ids = torch.full((batch * beams, 1), start, device=device)
    score = torch.full((batch, beams), -1e9, device=device)
    score[:, 0] = 0
    best = torch.full((batch, model.length), start, device=device)
    best_score = torch.full((batch,), -1e9, device=device)
    while ids.shape[1] < model.length:
        logits = model.read(ids, seen)[:, -1].log_softmax(-1)
        if no_repeat:
            logits = logits.masked_fill(repeats(ids, logits.shape[1], no_repeat), -1e9)
        vocabulary = logits.shape[1]
        total = (score.view(-1, 1) + logits).view(batch, -1)
        top, at = total.topk(2 * beams, 1)
        beam, word = at // vocabulary, at % vocabulary
        ends = word == start
        grown = torch.cat([ids.view(batch, beams, -1).gather(
            1, beam[..., None].expand(-1, -1, ids.shape[1])), word[..., None]], 2)
        length = grown.shape[2] - 1
        counts = ends[:, :beams] | (grown.shape[2] == model.length)
        ended = torch.where(counts, top[:, :beams] / length, -1e9)
        value, which = ended.max(1)
        better = value > best_score
        chosen = grown[torch.arange(batch, device=device), which]
        best[better] = F.pad(chosen, (0, model.length - grown.shape[2]), value=start)[better]
        best_score = torch.where(better, value, best_score)
        order = ends.long().sort(dim=1, stable=True)[1][:, :beams]          # those that go on
        score = top.gather(1, order)
        ids = grown.gather(1, order[..., None].expand(-1, -1, grown.shape[2])).flatten(0, 1)
        if bool((score[:, 0] / length < best_score).all()):
            break
    return best


def repeats(ids, vocabulary, run):
    """Words that would make a run of that many words occur twice: (rows, vocabulary)."""
    banned = torch.zeros(len(ids), vocabulary, dtype=torch.bool, device=ids.device)
    last = ids[:, ids.shape[1] - run + 1:]
    for begin in range(ids.shape[1] - run + 1):
        same_run = (ids[:, begin:begin + run - 1] == last).all(1)
        word = ids[:, begin + run - 1]
        banned[torch.arange(len(ids), device=ids.device), word] |= same_run
    return banned
