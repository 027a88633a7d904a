#!/usr/bin/env python3
"""make_golden.py OUT [CASE...]: what Hugging Face transformers computes, in float64 with eager attention, for the cases
of this folder that are not in the parity kit. Needs torch, transformers, Pillow. The weights are the deterministic ones
of models/synthetic.cpp: value = f(seed, tensor name, index); this file computes them once more, independently.

A case is a folder: config.json and preprocessor_config.json as transformers saves them, weights.json (tensor names,
shapes, seed, storage type), golden.safetensors (the tensors listed in tests/golden/README.md) and golden.json."""
import hashlib
import json
import math
import pathlib
import sys

import numpy as np
import torch
import transformers
from PIL import Image
from safetensors.torch import load_file, save_file

HERE = pathlib.Path(__file__).parent
SEED = 1


def uniform(name, count):
    """float32 in [-1, 1): splitmix64 counters keyed by the first eight bytes of sha256("seed:name")."""
    key = int.from_bytes(hashlib.sha256(f"{SEED}:{name}".encode()).digest()[:8], "little")
    with np.errstate(over="ignore"):
        z = np.uint64(key) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)


def weight(name, shape):
    """Scaled so that activations stay in the range of a trained model's. ViT and DeiT need these rules alone."""
    x = uniform(name, math.prod(shape))
    if len(shape) == 4:
        scale, shift = math.sqrt(6 / math.prod(shape[1:])), 0
    elif len(shape) == 2:
        scale, shift = (2 if "query" in name or "key" in name else 1) * math.sqrt(3 / shape[1]), 0
    elif len(shape) == 1:
        scale, shift = (0.1, 0) if name.endswith("bias") else (0.2, 1)
    else:
        scale, shift = 0.5, 0
    return torch.from_numpy((np.float32(shift) + np.float32(scale) * x).reshape(shape))


def classifier(out, model, processor, image, stored):
    """Saves model and processor, refills the file with our weights, loads it as a user would, and looks inside."""
    model.save_pretrained(out)
    processor.save_pretrained(out)
    file = out / "model.safetensors"
    shapes = {name: list(tensor.shape) for name, tensor in load_file(file).items()}
    dtype = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}[stored]
    save_file({n: weight(n, s).to(dtype) for n, s in shapes.items()}, file, metadata={"format": "pt"})
    (out / "weights.json").write_text(
        json.dumps({"seed": SEED, "dtype": stored, "tensors": sorted(shapes.items())}, separators=(",", ":")))
    model = type(model).from_pretrained(out, dtype=torch.float64, attn_implementation="eager").eval()
    file.unlink()

    pixels = processor(images=image, return_tensors="pt")["pixel_values"].double()
    with torch.inference_mode():
        result = model(pixels, output_attentions=True, output_hidden_states=True)
    attention = torch.stack([a[0] for a in result.attentions])  # layer, head, query, key
    tokens = attention.shape[-1]
    rollout = torch.eye(tokens, dtype=torch.float64)
    for layer in attention.mean(1):
        rollout = (layer + torch.eye(tokens, dtype=torch.float64)) / 2 @ rollout
    golden = {
        "pixel_values": pixels,
        "logits": result.logits[0],
        "hidden_cls": torch.stack([h[0, 0] for h in result.hidden_states]),
        "last_hidden": result.hidden_states[-1][0, :8],
        "attention_cls": attention[:, :, 0],
        "attention_last_row7": attention[-1, :, 7],
        "rollout_cls": rollout[0],
    }
    save_file({n: t.float().contiguous() for n, t in golden.items()}, out / "golden.safetensors")
    top = result.logits[0].softmax(-1).topk(5)
    (out / "golden.json").write_text(json.dumps({
        "image": "chelsea.png", "input": list(pixels.shape), "transformers": transformers.__version__,
        "top5": [[int(i), float(p)] for p, i in zip(top.values, top.indices)]}, indent=1))


def vit_odd(out, image):
    """Heads of 20, a patch of 14, a picture that is not square, no qkv bias, tanh gelu, a BF16 file."""
    config = transformers.ViTConfig(
        hidden_size=60, num_hidden_layers=2, num_attention_heads=3, intermediate_size=100, image_size=[56, 84],
        patch_size=14, qkv_bias=False, hidden_act="gelu_new", layer_norm_eps=1e-6, num_labels=7)
    processor = transformers.ViTImageProcessor(size={"height": 56, "width": 84}, resample=3)
    classifier(out, transformers.ViTForImageClassification(config), processor, image, "BF16")


def deit_distilled(out, image):
    """Two tokens in front, two classifiers, resize and centre crop, an F16 file."""
    config = transformers.DeiTConfig(
        hidden_size=48, num_hidden_layers=2, num_attention_heads=2, intermediate_size=96, image_size=64, patch_size=16,
        num_labels=9)
    processor = transformers.DeiTImageProcessor(
        size={"height": 73, "width": 73}, crop_size={"height": 64, "width": 64})
    classifier(out, transformers.DeiTForImageClassificationWithTeacher(config), processor, image, "F16")


CASES = {"vit-odd": vit_odd, "deit-distilled": deit_distilled}

if __name__ == "__main__":
    picture = Image.open(HERE / "images" / "chelsea.ppm").convert("RGB")
    for case in sys.argv[2:] or CASES:
        folder = pathlib.Path(sys.argv[1]) / case
        folder.mkdir(parents=True, exist_ok=True)
        CASES[case](folder, picture)
        print(case, sum(f.stat().st_size for f in folder.iterdir()), "bytes")
