"""A ViT of fewer blocks out of a larger one."""
import dataclasses

import torch
from torch import nn


@torch.no_grad()
def prune(vit, layers, loss):
    """Leaves blocks out until `layers` are left, each time the one without which loss() is least."""
    while len(vit.blocks) > layers:
        blocks, losses = list(vit.blocks), []
        for index in range(len(blocks)):
            vit.blocks = nn.ModuleList(blocks[:index] + blocks[index + 1:])
            losses.append(float(loss()))
        least = losses.index(min(losses))
        vit.blocks = nn.ModuleList(blocks[:least] + blocks[least + 1:])
        print(f"  block {least} of {len(blocks)} goes: loss {losses[least]:.3f}, without others up to "
              f"{max(losses):.3f}", flush=True)
    vit.shape = dataclasses.replace(vit.shape, layers=layers)
