"""Show, Attend and Tell (Xu et al. 2015) with soft attention: the map of a small ResNet-D, an LSTM
that says a word a step, and before each word a look at the map's places, weighed by what the LSTM
remembers. Letters as in the paper: a the annotations of the places, alpha their weights, z what is
seen of them, h and c the LSTM's memory, E the words' embedding.
"""
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from photo_captions import LENGTH
from resnet import settle
from rt_detr import ResNetD, RtDetrShape

STAGES = 3              # of the ResNet: a map of stride 16
DEPTHS = (1, 2, 1)      # of the detector's (1, 2, 3)


class ShowAttendTell(nn.Module):
    def __init__(self, vocabulary, embedding=112, hidden=192, attention=128, shape=None,
                 length=LENGTH, dropout=0.0):
        super().__init__()
        shape = shape or RtDetrShape(depths=DEPTHS)
        self.shape = replace(shape, channels=shape.channels[:STAGES], depths=shape.depths[:STAGES])
        self.backbone = ResNetD(self.shape)
        annotation = self.shape.channels[-1]
        self.length, self.dropout = length, dropout
        self.words = nn.Embedding(vocabulary, embedding)                    # E
        self.first_hidden = nn.Linear(annotation, hidden)
        self.first_cell = nn.Linear(annotation, hidden)
        self.attend_place = nn.Linear(annotation, attention, bias=False)
        self.attend_hidden = nn.Linear(hidden, attention)
        self.attend_score = nn.Linear(attention, 1, bias=False)
        self.gate = nn.Linear(hidden, 1)                                    # beta
        self.lstm = nn.LSTMCell(embedding + annotation, hidden)
        self.tell_hidden = nn.Linear(hidden, embedding)                     # L_h
        self.tell_seen = nn.Linear(annotation, embedding, bias=False)       # L_z
        self.patch_labels = nn.Linear(annotation, self.shape.classes + 1)   # for training alone
        nn.init.normal_(self.words.weight, std=0.05)

    def look(self, picture):
        """Of pictures as the backbone takes them: a (batch, places, channels)."""
        return self.backbone(picture)[-1].flatten(2).transpose(1, 2)

    def cells(self, a):
        """What covers each place."""
        return self.patch_labels(a).float()

    def first(self, a):
        """h and c before the first word."""
        mean = a.mean(1)
        return torch.tanh(self.first_hidden(mean)), torch.tanh(self.first_cell(mean))

    def weights(self, places, h):
        """alpha (batch, places); `places` is attend_place of the annotations."""
        e = self.attend_score(torch.tanh(places + self.attend_hidden(h)[:, None]))[..., 0]
        return e.float().softmax(-1)

    def step(self, word, a, places, h, c):
        """One word on: what there is to be told of it, and h and c after it. word (batch,
        embedding)."""
        alpha = self.weights(places, h).to(a.dtype)
        z = torch.sigmoid(self.gate(h)) * (alpha[:, None] @ a)[:, 0]
        h, c = self.lstm(torch.cat([word, z], 1), (h, c))
        told = F.dropout(word + self.tell_hidden(h) + self.tell_seen(z), self.dropout,
                         self.training)
        return told, h, c

    def read(self, ids, a, known=None):
        """Logits of the word after each of ids (batch, length); of each picture there may be several
        sentences, one after the other. Words that are not `known` (batch, length) are read as if
        they were not there."""
        a = a.repeat_interleave(len(ids) // len(a), 0)
        words = F.dropout(self.words(ids), self.dropout, self.training)
        if known is not None:
            words = words * known[..., None]
        a = F.dropout(a, self.dropout, self.training)
        places, (h, c), told = self.attend_place(a), self.first(a), []
        for word in words.unbind(1):
            one, h, c = self.step(word, a, places, h, c)
            told.append(one)
        return F.linear(torch.stack(told, 1), self.words.weight).float()

    @torch.no_grad()
    def say(self, a, start, choose, samples=1):
        """ids (batch * samples, length), each word as choose(logits) has it; after its end a sentence
        stays at the end."""
        a = a.repeat_interleave(samples, 0)
        ids = [torch.full((len(a),), start, device=a.device)]
        ended = torch.zeros(len(a), dtype=torch.bool, device=a.device)
        places, (h, c) = self.attend_place(a), self.first(a)
        while len(ids) < self.length:
            told, h, c = self.step(self.words(ids[-1]), a, places, h, c)
            word = choose(F.linear(told, self.words.weight).float())
            ids.append(torch.where(ended, start, word))
            ended = ended | (word == start)
        return torch.stack(ids, 1)

    def settle(self):
        settle(self.backbone)
