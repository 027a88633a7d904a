"""What deformable attention samples: by a kernel of its own on a GPU, as PyTorch's grid_sample does
it elsewhere."""
import functools
import pathlib

import torch
import torch.nn.functional as F

HEADS, CHANNELS, LEVELS, POINTS = 8, 16, 3, 4       # as in deformable.cu
THREADS = 256


@functools.cache
def _kernel(name):
    source = pathlib.Path(__file__).with_name("deformable.cu").read_text()
    return torch.cuda._compile_kernel(source, name)


def sample(value, at, weight, sides):
    """value (batch, cells, heads, channels) of square maps one after the other, at (batch, queries,
    heads, levels, points, 2) in 0..1, weight (batch, queries, heads, levels, points)
    -> (batch, queries, heads, channels)"""
    shape = value.shape[2:], at.shape[2:5]
    fits = value.is_cuda and value.dtype == torch.bfloat16 \
        and shape == ((HEADS, CHANNELS), (HEADS, LEVELS, POINTS))
    return Sample.apply(value, at, weight, sides) if fits else plain_sample(value, at, weight, sides)


def plain_sample(value, at, weight, sides):
    batch, queries, heads = at.shape[:3]
    maps = value.float().split([side * side for side in sides], 1)
    at = (2 * at - 1).transpose(1, 2).flatten(0, 1)     # (batch * heads, queries, levels, points, 2)
    sampled = [F.grid_sample(map_.permute(0, 2, 3, 1).reshape(batch * heads, -1, side, side),
                             at[:, :, level].contiguous(), mode="bilinear", padding_mode="zeros",
                             align_corners=False)
               for level, (map_, side) in enumerate(zip(maps, sides))]
    weight = weight.transpose(1, 2).reshape(batch * heads, 1, queries, -1)
    mixed = (torch.cat(sampled, -1) * weight).sum(-1)   # (batch * heads, channels, queries)
    return mixed.view(batch, heads, -1, queries).permute(0, 3, 1, 2)


class Sample(torch.autograd.Function):
    @staticmethod
    def forward(context, value, at, weight, sides):
        value, at, weight = value.contiguous(), at.float().contiguous(), weight.float().contiguous()
        out = torch.empty(at.shape[:3] + value.shape[3:], dtype=value.dtype, device=value.device)
        context.save_for_backward(value, at, weight)
        context.sides = sides
        launch("sample", (value, at, weight, out), value, at, sides)
        return out

    @staticmethod
    def backward(context, slope):
        value, at, weight = context.saved_tensors
        of_value = torch.zeros(value.shape, device=value.device)
        of_at, of_weight = torch.empty_like(at), torch.empty_like(weight)
        launch("sample_back", (slope.to(value.dtype).contiguous(), value, at, weight, of_value, of_at,
                               of_weight), value, at, context.sides)
        return of_value.to(value.dtype), of_at, of_weight, None


def launch(name, tensors, value, at, sides):
    items = at.shape[0] * at.shape[1] * HEADS
    _kernel(name)((-(-2 * items // THREADS), 1, 1), (THREADS, 1, 1),
                  (*tensors, items, at.shape[1], value.shape[1], *sides))
