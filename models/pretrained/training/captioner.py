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

    def forward(self, x, seen):
        join = lambda heads: heads.transpose(1, 2).reshape(x.shape)
        drop = lambda change: F.dropout(change, self.dropout, self.training)
        q, k, v = self.split(self.qkv(self.norm1(x)), 3)
        x = x + drop(self.out(join(F.scaled_dot_product_attention(q, k, v, is_causal=True))))
        q, = self.split(self.cross_q(self.norm_cross(x)), 1)
        k, v = self.split(self.cross_kv(seen), 2)
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

    def read(self, ids, seen):
        """Logits of the word after each of ids (batch, length)."""
        x = self.words(ids) + self.word_positions.weight[:ids.shape[1]]
        for block in self.blocks:
            x = block(x, seen)
        return F.linear(self.norm(x), self.words.weight).float()

    def loss(self, scene, captions, smoothing=0.02):
        """Cross entropy of the caption, and a little of what covers each patch where that is
        known."""
        ids, said = captions(scene)
        seen = self.vit(to_input(scene["picture"]))
        entropy = F.cross_entropy(self.read(ids[:, :-1], seen).flatten(0, 1), ids[:, 1:].flatten(),
                                  reduction="none", label_smoothing=smoothing)
        said = said.flatten().float()
        patches = self.patch_labels(seen[:, 1:]).float()
        return ((entropy * said).sum() / said.sum()
                + 0.25 * F.cross_entropy(patches.flatten(0, 1), scene["patch_label"].flatten()))

    @torch.no_grad()
    def caption(self, picture, start):
        """Greedy: ids (batch, length) that begin with the start token."""
        seen = self.vit(to_input(picture))
        ids = torch.full((picture.shape[0], 1), start, device=picture.device)
        while ids.shape[1] < len(self.word_positions.weight):
            ids = torch.cat([ids, self.read(ids, seen)[:, -1:].argmax(-1)], 1)
        return ids
