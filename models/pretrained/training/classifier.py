"""A ViT that names the main thing in a picture, or many at once."""
import torch.nn.functional as F
from torch import nn

from scenes import CLASSES, to_input


class Classifier(nn.Module):
    def __init__(self, vit, classes=CLASSES):
        super().__init__()
        self.vit = vit
        self.head = nn.Linear(vit.shape.width, classes)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, picture):
        """Of pictures in bytes, at any size."""
        return self.head(self.vit(self.as_input(picture))[:, 0]).float()

    def as_input(self, picture):
        picture = to_input(picture)
        if picture.shape[-2:] == self.vit.shape.image:
            return picture
        return F.interpolate(picture, self.vit.shape.image, mode="bilinear", antialias=True,
                             align_corners=False)

    def look(self, picture):
        """The class token, and the patches before the last two blocks and after them. Of pictures
        as the ViT takes them."""
        tokens, (early,) = self.vit(picture, (len(self.vit.blocks) - 3,))
        return tokens[:, 0], early[:, 1:], tokens[:, 1:]

    def rollout(self, picture):
        return self.vit.rollout(picture)

    def loss(self, scene):
        return F.cross_entropy(self(scene["picture"]), scene["label"][:, 0], label_smoothing=0.05)
