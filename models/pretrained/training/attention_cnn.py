"""A convolutional network whose map looks at itself before it answers, as in Self-Attention
Generative Adversarial Networks (Zhang et al. 2018, section 3), here to name what a picture shows."""
import torch
import torch.nn.functional as F
from torch import nn

from resnet import ResNet
from scenes import to_input


class SelfAttention(nn.Module):
    """Every cell looks at all cells: 1x1 convolutions to queries, keys and values, a softmax over
    places, and a learned share of what was seen, which starts as nothing."""

    def __init__(self, channels, inner):
        super().__init__()
        self.query, self.key = nn.Conv2d(channels, inner, 1), nn.Conv2d(channels, inner, 1)
        self.value, self.out = nn.Conv2d(channels, inner, 1), nn.Conv2d(inner, channels, 1)
        self.gamma = nn.Parameter(torch.zeros(1))
        for layer in (self.query, self.key, self.value, self.out):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def weights(self, x):
        """What each cell looks at: (batch, cells, cells)."""
        tokens = lambda layer: layer(x).flatten(2).transpose(1, 2)
        return (tokens(self.query) @ tokens(self.key).transpose(1, 2)).softmax(-1)

    def forward(self, x):
        tokens = lambda layer: layer(x).flatten(2).transpose(1, 2)      # (batch, cells, inner)
        seen = F.scaled_dot_product_attention(tokens(self.query)[:, None], tokens(self.key)[:, None],
                                              tokens(self.value)[:, None], scale=1.0)
        seen = seen[:, 0].transpose(1, 2).unflatten(2, x.shape[2:])
        return x + self.gamma * self.out(seen)


class AttentionCNN(nn.Module):
    def __init__(self, shape, side, inner, classes):
        super().__init__()
        self.shape, self.side, self.inner = shape, side, inner
        self.backbone = ResNet(shape)
        self.attention = SelfAttention(shape.channels[-1], inner)
        self.head = nn.Linear(shape.channels[-1], classes)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, picture):
        """Of pictures in bytes, at any size."""
        picture = to_input(picture)
        if picture.shape[-1] != self.side:
            picture = F.interpolate(picture, (self.side, self.side), mode="bilinear",
                                    antialias=True, align_corners=False)
        return self.head(self.look(picture)[0]).float()

    def look(self, picture):
        """The mean of the map's cells, and those before they look at each other and after. Of
        pictures as the backbone takes them."""
        seen = self.backbone(picture.contiguous(memory_format=torch.channels_last))
        looked = self.attention(seen)
        cells = lambda x: x.flatten(2).transpose(1, 2)
        return looked.mean((2, 3)), cells(seen), cells(looked)
