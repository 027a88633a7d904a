"""The deterministic weights of models/files/synthetic.cpp, computed once more, independently."""
import hashlib
import math
import re

import numpy as np

SEED = 1


def uniform(name, count, seed=SEED):
    """float32 in [-1, 1): splitmix64 counters keyed by the first eight bytes of sha256("seed:name")."""
    key = int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8], "little")
    with np.errstate(over="ignore"):
        z = np.uint64(key) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)


def values(name, shape, seed=SEED, adjust=()):
    """Scaled so that activations stay in the range of a trained model's. The models here need these rules alone; of
    `adjust`, the first [pattern, factor, offset] whose pattern the name has changes what they say."""
    x = uniform(name, math.prod(shape), seed)
    scores = any(part in name for part in ("query", "key", "q_proj", "k_proj", "c_attn", "q_attn", "qkv"))
    table = any(part in name for part in ("embeddings.weight", "wte", "wpe", "query_position"))
    fan = shape[0] if any(part in name for part in ("c_attn", "c_proj", "c_fc", "q_attn")) else shape[-1]
    if "running_var" in name:
        scale, shift = 0.5, 1
    elif "running_mean" in name:
        scale, shift = 0.2, 0
    elif len(shape) == 4:
        scale, shift = math.sqrt(6 / math.prod(shape[1:])), 0
    elif len(shape) == 2 and not table:
        scale, shift = (2 if scores else 1) * math.sqrt(3 / fan), 0
    elif len(shape) == 1 and name.endswith(("bias", "weight")):
        scale, shift = (0.1, 0) if name.endswith("bias") else (0.2, 1)
    else:
        scale, shift = 0.15 if "wte" in name or "word_embeddings" in name else 0.5, 0
    x = np.float32(shift) + np.float32(scale) * x
    for pattern, factor, offset in adjust:
        if re.search(pattern, name):
            x = x * np.float32(factor) + np.float32(offset)
            break
    return x.reshape(tuple(shape))


def weight(name, shape, seed=SEED, adjust=()):
    """The same as a tensor of torch."""
    import torch
    return torch.from_numpy(values(name, shape, seed, adjust))
