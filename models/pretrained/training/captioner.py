"""A ViT and a small GPT-2 that looks at its tokens, as transformers' VisionEncoderDecoderModel."""
import torch
import torch.nn.functional as F
from torch import nn

from captions import LENGTH
from scenes import CLASSES, to_input


class CaptionerBlock(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.norm1, self.norm_cross, self.norm2 = (nn.LayerNorm(width) for _ in range(3))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.cross_q, self.cross_kv = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.cross_out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def split(self, x, parts):
        return x.view(*x.shape[:2], parts, self.heads, -1).permute(2, 0, 3, 1, 4)

    def look(self, seen):
        """Keys and values of what is seen."""
        return self.split(self.cross_kv(seen), 2)

    def forward(self, x, looked):
        """x may hold several sentences for each picture of `looked`, one after the other."""
        join = lambda heads: heads.transpose(1, 2).reshape(x.shape)
        drop = lambda change: F.dropout(change, self.dropout, self.training)
        q, k, v = self.split(self.qkv(self.norm1(x)), 3)
        x = x + drop(self.out(join(F.scaled_dot_product_attention(q, k, v, is_causal=True))))
        k, v = looked
        q, = self.split(self.cross_q(self.norm_cross(x)).view(len(k), -1, x.shape[-1]), 1)
        x = x + drop(self.cross_out(join(F.scaled_dot_product_attention(q, k, v))))
        return x + drop(self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh")))


class Captioner(nn.Module):
    def __init__(self, vit, vocabulary, layers, length=LENGTH, classes=CLASSES, dropout=0.0):
        super().__init__()
        width, heads = vit.shape.width, vit.shape.heads
        self.vit = vit
        self.words = nn.Embedding(vocabulary, width)
        self.word_positions = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(CaptionerBlock(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        for module in (self.words, self.word_positions, *self.blocks.modules()):
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)
        self.patch_labels = nn.Linear(width, classes + 1)       # for training alone

    @property
    def length(self):
        return len(self.word_positions.weight)

    def look(self, picture):
        """The tokens of pictures as the ViT takes them: (batch, tokens, width)."""
        return self.vit(picture)

    def cells(self, seen):
        """What covers each patch."""
        return self.patch_labels(seen[:, 1:]).float()

    def read(self, ids, seen, known=None):
        """Logits of the word after each of ids (batch, length); of each picture there may be several
        sentences, one after the other. Words that are not `known` (batch, length) are read as if
        they were not there."""
        return self.logits(self.told(ids, [block.look(seen) for block in self.blocks], known))

    def told(self, ids, looked, known=None):
        x = self.words(ids)
        if known is not None:
            x = x * known[..., None]
        x = x + self.word_positions.weight[:ids.shape[1]]
        for block, of_block in zip(self.blocks, looked):
            x = block(x, of_block)
        return x

    @torch.no_grad()
    def favour(self, word, by):
        """Raises a word's logit everywhere, and others' next to nothing, by the last norm's bias."""
        words = self.words.weight.double()
        alike = words.T @ words
        alike += 1e-3 * alike.diagonal().mean() * torch.eye(len(alike), device=words.device)
        change = torch.linalg.solve(alike, words[word])
        self.norm.bias += (by * change / (words[word] @ change)).to(self.norm.bias.dtype)

    def logits(self, x):
        return F.linear(self.norm(x), self.words.weight).float()

    def loss(self, scene, captions, smoothing=0.02):
        """Cross entropy of the caption, and a little of what covers each patch where that is
        known."""
        ids, said = captions(scene)
        seen = self.look(to_input(scene["picture"]))
        entropy = F.cross_entropy(self.read(ids[:, :-1], seen).flatten(0, 1), ids[:, 1:].flatten(),
                                  reduction="none", label_smoothing=smoothing)
        said = said.flatten().float()
        return ((entropy * said).sum() / said.sum()
                + 0.25 * F.cross_entropy(self.cells(seen).flatten(0, 1),
                                         scene["patch_label"].flatten()))

    @torch.no_grad()
    def say(self, seen, start, choose, samples=1):
        """ids (batch * samples, length), each word as choose(logits) has it; after its end a
        sentence stays at the end. Every step reads the whole row: shapes stay the same, as a CUDA
        graph wants."""
        ids = torch.full((len(seen) * samples, self.length), start, device=seen.device)
        ended = torch.zeros(len(ids), dtype=torch.bool, device=seen.device)
        looked = [block.look(seen) for block in self.blocks]
        for at in range(self.length - 1):
            word = choose(self.logits(self.told(ids[:, :-1], looked)[:, at]))
            ids[:, at + 1] = torch.where(ended, start, word)
            ended = ended | (word == start)
        return ids

    def caption(self, picture, start):
        """Greedy: ids (batch, length) that begin with the start token."""
        return self.say(self.look(to_input(picture)), start, lambda logits: logits.argmax(-1))
