"""A captioner that looks with a detector's eye: RT-DETR's ResNet-D and hybrid encoder up to the map
of stride 16, a block of a vision transformer over its cells, and a small GPT-2 that looks at them,
in the form of transformers' VisionEncoderDecoderModel."""
import torch
import torch.nn.functional as F
from torch import nn

from captioner import CaptionerBlock
from photo_captions import LENGTH
from resnet import settle
from rt_detr import HybridEncoder, ResNetD, RtDetrShape, twice
from vit import Block, waves

HEAD = 32               # width of a head


class Eye(nn.Module):
    """What RT-DETR sees at stride 16: its hybrid encoder without the last step to stride 32."""

    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.backbone, self.encoder = ResNetD(shape), HybridEncoder(shape)
        for parts in (self.encoder.halving_blocks, self.encoder.up_blocks):
            del parts[1]

    def forward(self, picture):
        """(batch, 3, side, side) -> (batch, cells, width)"""
        return self.fuse(self.backbone(picture)).flatten(2).transpose(1, 2)

    def fuse(self, maps):
        encoder = self.encoder
        maps = [layer(x) for layer, x in zip(encoder.project, maps)]
        top = F.silu(encoder.lateral_blocks[0](encoder.look(maps[2])))
        middle = encoder.down_blocks[0](torch.cat([twice(top), maps[1]], 1))
        middle = F.silu(encoder.lateral_blocks[1](middle))
        fine = encoder.down_blocks[1](torch.cat([twice(middle), maps[0]], 1))
        fine = F.silu(encoder.halving_blocks[0](fine))
        return encoder.up_blocks[0](torch.cat([fine, middle], 1))


class HybridCaptioner(nn.Module):
    def __init__(self, vocabulary, width=224, looks=1, layers=3, shape=None, length=LENGTH,
                 dropout=0.0):
        super().__init__()
        self.eye = Eye(shape or RtDetrShape())
        cells = self.eye.shape.side // 16
        self.width, self.heads, self.dropout = width, width // HEAD, dropout
        self.project = nn.Linear(self.eye.shape.width, width)
        self.positions = nn.Parameter(0.3 * waves(width, cells, cells)[None])
        self.look_blocks = nn.ModuleList(Block(width, self.heads) for _ in range(looks))
        self.look_norm = nn.LayerNorm(width, eps=1e-6)
        self.words = nn.Embedding(vocabulary, width)
        self.word_positions = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(CaptionerBlock(width, self.heads, dropout)
                                    for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.patch_labels = nn.Linear(width, self.eye.shape.classes + 1)    # for training alone
        for part in (self.project, self.look_blocks, self.words, self.word_positions, self.blocks):
            for module in part.modules():
                if isinstance(module, (nn.Linear, nn.Embedding)):
                    nn.init.normal_(module.weight, std=0.02)
                if isinstance(module, nn.Linear):
                    nn.init.zeros_(module.bias)
        nn.init.xavier_uniform_(self.project.weight)

    @property
    def length(self):
        return len(self.word_positions.weight)

    def look(self, picture):
        """Of pictures as the eye takes them: (batch, cells, width)."""
        x = self.project(self.eye(picture)) + self.positions
        for block in self.look_blocks:
            x = block(x)
        return self.look_norm(x)

    def cells(self, seen):
        return self.patch_labels(seen).float()

    def read(self, ids, seen, known=None, at=None):
        """Logits of the word after each of ids (batch, length), or after the one `at` alone; of each
        picture there may be several sentences, one after the other. Words that are not `known`
        (batch, length) are read as if they were not there."""
        x = self.words(ids)
        if known is not None:
            x = x * known[..., None]
        x = x + self.word_positions.weight[:ids.shape[1]]
        for block in self.blocks:
            x = block(x, block.look(seen))
        if at is not None:
            x = x[:, at:at + 1]
        return F.linear(self.norm(x), self.words.weight).float()

    @torch.no_grad()
    def say(self, seen, start, choose, samples=1):
        """ids (batch, length), each word as choose(logits) has it; after its end a sentence stays
        at the end. Every step reads the whole row: shapes stay the same, as a CUDA graph wants."""
        ids = torch.full((len(seen) * samples, self.length), start, device=seen.device)
        ended = torch.zeros(len(ids), dtype=torch.bool, device=seen.device)
        for at in range(self.length - 1):
            word = choose(self.read(ids[:, :-1], seen, at=at)[:, 0])
            ids[:, at + 1] = torch.where(ended, start, word)
            ended = ended | (word == start)
        return ids

    def settle(self):
        settle(self.eye)
