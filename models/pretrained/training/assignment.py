"""Which detection token answers for which object: the assignment of least total cost."""
import functools
import pathlib

import torch

WARPS = 4                           # pictures a block, as in assignment.cu
MOST_TARGETS, MOST_QUERIES = 64, 128


@functools.cache
def _kernel():
    source = pathlib.Path(__file__).with_name("assignment.cu").read_text()
    return torch.cuda._compile_kernel(source, "assign")


def assign(cost, number):
    """cost (batch, targets, queries), number (batch) of targets in use
    -> (batch, targets), the query of each target, 0 for those not in use."""
    if not cost.is_cuda:
        return _assign_on_cpu(cost, number)
    batch, targets, queries = cost.shape
    if targets > MOST_TARGETS or queries > MOST_QUERIES:
        raise ValueError(f"{targets} targets and {queries} queries are too many")
    chosen = torch.empty(batch, targets, dtype=torch.int32, device=cost.device)
    _kernel()((-(-batch // WARPS), 1, 1), (32 * WARPS, 1, 1),
              (cost.float().contiguous(), number.int().contiguous(), chosen, batch, targets,
               queries))
    return chosen.long()


def _assign_on_cpu(cost, number):
    from scipy.optimize import linear_sum_assignment
    chosen = torch.zeros(cost.shape[:2], dtype=torch.long)
    for picture, targets in enumerate(number.tolist()):
        rows, columns = linear_sum_assignment(cost[picture, :targets].numpy())
        chosen[picture, rows] = torch.as_tensor(columns)
    return chosen
