"""Muon for the matrices and convolutions of the blocks, AdamW for everything else; one
learning-rate factor drives both. Nothing waits for the GPU, and the factor lives in its memory, so
that a captured CUDA graph follows the schedule."""
import torch

NOT_DECAYED = ("positions", "cls", "detection", "queries", "word_positions.weight",
               "words.weight")
ALWAYS_ADAM = (".offsets.", ".point_weights.")      # places to look at, which move by small steps


def orthogonal(matrix):
    """Newton-Schulz steps towards the nearest orthogonal matrix; (n, rows, columns)."""
    x = matrix.bfloat16() if matrix.is_cuda else matrix
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.transpose(-1, -2)
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        gram = x @ x.transpose(-1, -2)
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x
    return (x.transpose(-1, -2) if tall else x).float()


class Optimizer:
    """Of all parameters that are to be trained; pace(name) is the factor of each one's rate."""

    def __init__(self, model, rate, muon_rate, decay=0.02, momentum=0.95, pace=lambda name: 1.0):
        self.rate, self.muon_rate, self.decay, self.momentum = rate, muon_rate, decay, momentum
        trained = [(name, parameter) for name, parameter in model.named_parameters()
                   if parameter.requires_grad]
        self.parameters = [parameter for _, parameter in trained]
        device = self.parameters[0].device
        by_shape, by_pace = {}, {}
        for name, parameter in trained:
            of = pace(name)
            if parameter.ndim in (2, 4) and "blocks" in name \
                    and not any(part in name for part in ALWAYS_ADAM):
                # q, k and v are matrices of their own, stored as one; a convolution is the matrix
                # of its filters
                parts = 3 if ".qkv." in name else 2 if ".cross_kv." in name else 1
                by_shape.setdefault((of, parts, *parameter.flatten(1).shape), []).append(parameter)
            else:
                decays = parameter.ndim >= 2 and not name.endswith(NOT_DECAYED)
                by_pace.setdefault((of, decay if decays else 0.0), []).append(parameter)
        self.matrices = [(same, torch.zeros(len(same), *shape, device=device), parts, of)
                         for (of, parts, *shape), same in by_shape.items()]
        on_gpu = device.type == "cuda"
        self.factor = torch.ones((), device=device)
        self.adam = torch.optim.AdamW(
            [dict(params=some, weight_decay=decays, pace=of)
             for (of, decays), some in by_pace.items()],
            lr=rate, betas=(0.9, 0.98), **(dict(fused=True, capturable=True) if on_gpu else {}))
        for group in self.adam.param_groups:
            group["lr"] = torch.tensor(rate * group["pace"], device=device) if on_gpu \
                else rate * group["pace"]

    def scale(self, factor):
        self.factor.fill_(factor)
        for group in self.adam.param_groups:
            rate = self.rate * group["pace"] * factor
            if torch.is_tensor(group["lr"]):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    @torch.no_grad()
    def step(self):
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.adam.step()
        for same, average, parts, of in self.matrices:
            rate = self.muon_rate * of * self.factor
            gradient = torch.stack([parameter.grad.flatten(1) for parameter in same])
            average.lerp_(gradient, 1 - self.momentum)
            update = gradient.lerp(average, self.momentum)
            count, rows, columns = update.shape
            update = orthogonal(update.reshape(count * parts, rows // parts, columns))
            update = update.view(count, rows, columns)
            update = update * max(1, rows / parts / columns) ** 0.5
            for parameter, change in zip(same, update):
                parameter.mul_(1 - rate * self.decay).sub_(rate * change.view_as(parameter))
        for parameter in self.parameters:
            parameter.grad = None
