"""A ViT that names the main thing in a picture."""
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
        picture = to_input(picture)
        if picture.shape[-2:] != self.vit.shape.image:
            picture = F.interpolate(picture, self.vit.shape.image, mode="bilinear",
                                    antialias=True, align_corners=False)
        return self.head(self.vit(picture)[:, 0]).float()

    def loss(self, scene):
        return F.cross_entropy(self(scene["picture"]), scene["label"][:, 0], label_smoothing=0.05)
