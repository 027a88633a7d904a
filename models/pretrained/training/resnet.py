"""ResNets as in Hugging Face's ResNetBackbone: a 7x7 stem, then stages of basic blocks or of
bottlenecks, each but the first at half the resolution of the one before."""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

EXPANSION = 4           # of a bottleneck's channels from its 3x3 convolution to its output


@dataclass
class ResNetShape:
    stem: int = 32
    channels: tuple = (64, 128, 256)
    depths: tuple = (2, 2, 2)
    bottleneck: bool = False
    output_stride: int = 32     # from there on, strides become dilation

    @property
    def stride(self):
        return min(2 ** (len(self.channels) + 1), self.output_stride)


class ConvNorm(nn.Module):
    def __init__(self, inputs, outputs, side, stride=1, dilation=1):
        super().__init__()
        self.convolution = nn.Conv2d(inputs, outputs, side, stride, side // 2 * dilation, dilation,
                                     bias=False)
        self.normalization = nn.BatchNorm2d(outputs)
        nn.init.kaiming_normal_(self.convolution.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        return self.normalization(self.convolution(x))


class ResNetBlock(nn.Module):
    def __init__(self, inputs, outputs, stride, bottleneck, first_dilation=1, dilation=1):
        super().__init__()
        if bottleneck:
            inner = outputs // EXPANSION
            parts = [(inputs, inner, 1), (inner, inner, 3, stride, first_dilation),
                     (inner, outputs, 1)]
        else:
            parts = [(inputs, outputs, 3, stride, first_dilation),
                     (outputs, outputs, 3, 1, dilation)]
        self.layer = nn.ModuleList(ConvNorm(*part) for part in parts)
        self.shortcut = None
        if inputs != outputs or stride != 1:
            self.shortcut = ConvNorm(inputs, outputs, 1, stride)
        nn.init.zeros_(self.layer[-1].normalization.weight)     # starts as no change

    def forward(self, x):
        y = x
        for index, layer in enumerate(self.layer):
            y = layer(y if index == 0 else F.relu(y))
        return F.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.stem = ConvNorm(3, shape.stem, 7, 2)
        self.blocks = nn.ModuleList()
        inputs, strided, dilation = shape.stem, 4, 1
        for stage, (outputs, depth) in enumerate(zip(shape.channels, shape.depths)):
            stride, before = (2 if stage > 0 else 1), dilation
            if strided >= shape.output_stride:
                stride, dilation = 1, dilation * stride
            strided *= stride
            for index in range(depth):
                first = index == 0
                self.blocks.append(ResNetBlock(
                    inputs, outputs, stride if first else 1, shape.bottleneck,
                    before if first else dilation, dilation))
                inputs = outputs

    def forward(self, picture):
        """(batch, 3, height, width) -> (batch, channels, height / stride, width / stride)"""
        x = F.max_pool2d(F.relu(self.stem(picture)), 3, 2, 1)
        for block in self.blocks:
            x = block(x)
        return x

    def settle(self):
        settle(self)


@torch.no_grad()
def settle(model):
    """Batch norms of mean 0 and variance 1 that do the same: any number then fits into half
    precision."""
    for norm in model.modules():
        if isinstance(norm, nn.BatchNorm2d):
            scale = norm.weight / (norm.running_var + norm.eps).sqrt()
            norm.bias -= norm.running_mean * scale
            norm.weight.copy_(scale * (1 + norm.eps) ** 0.5)
            norm.running_mean.zero_()
            norm.running_var.fill_(1)


@torch.no_grad()
def unsettle(model, look):
    """The reverse, for a training that goes on: batch norms whose mean and variance are those of what
    goes through them when look() is called, and which do the same."""
    norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    seen = {}

    def count(norm, inputs):
        seen[norm] = inputs[0].mean((0, 2, 3)), inputs[0].var((0, 2, 3), unbiased=False)

    hooks = [norm.register_forward_pre_hook(count) for norm in norms]
    was_training = model.training
    model.eval()
    look()
    model.train(was_training)
    for hook in hooks:
        hook.remove()
    for norm, (mean, variance) in seen.items():
        scale = norm.weight / (norm.running_var + norm.eps).sqrt()
        norm.bias += (mean - norm.running_mean) * scale
        norm.weight.copy_(scale * (variance + norm.eps).sqrt())
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
