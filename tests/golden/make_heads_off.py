#!/usr/bin/env python3
"""make_heads_off.py: what models say whose output projections have columns of zeros: heads that are switched off.

Needs numpy and Pillow alone. The models are written down here once more, in float64, after the source of transformers
(modeling_vit, modeling_detr with timm's ResNet-18, modeling_gpt2 with cross-attention), and share no line with the
engine. Before anything is written they must give what transformers gave for the same weights without zeros: the
golden.safetensors of the cases. transformers itself, run on the checkpoints with zeros, agrees within 1.6e-7.

Writes heads-off.json of the cases CASES into their folders: a list of {"off": [[layer, head]], "tensor", "first",
"columns"} with what the model then says."""
import json
import math
import pathlib
import struct

import numpy as np
from PIL import Image

from synthetic import values

HERE = pathlib.Path(__file__).parent


class Weights:
    """The deterministic weights of a case."""
    def __init__(self, case):
        about = json.loads((HERE / case / "weights.json").read_text())
        assert about["dtype"] == "F32"
        self.all = {name: values(name, shape, about["seed"]).astype(np.float64)
                    for name, shape, *_ in about["tensors"]}

    def __getitem__(self, name):
        return self.all[name]

    def without(self, name, axis, first, count):
        """With zeros in a part of one tensor."""
        other = Weights.__new__(Weights)
        other.all = dict(self.all)
        other.all[name] = self.all[name].copy()
        part = [slice(None)] * 2
        part[axis] = slice(first, first + count)
        other.all[name][tuple(part)] = 0
        return other


def golden(case):
    raw = (HERE / case / "golden.safetensors").read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    kinds = {"F32": np.float32, "I32": np.int32}
    return {name: np.frombuffer(raw[8 + length:][slice(*about["data_offsets"])], kinds[about["dtype"]])
            .reshape(about["shape"]) for name, about in json.loads(raw[8:8 + length]).items() if name != "__metadata__"}


def check(what, ours, theirs):
    error = np.abs(ours - theirs).max() / np.abs(theirs).max()
    print(f"  {what}: {error:.1e} from transformers")
    assert error < 2e-6, what


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def norm(w, name, x, eps):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * w[name + ".weight"] + w[name + ".bias"]


def linear(w, name, x):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def erf_gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def attend(q, k, v, heads, mask=None):
    """softmax(q k^T / sqrt(head)) v, head by head, side by side."""
    size, out = q.shape[-1] // heads, []
    for h in range(heads):
        part = slice(h * size, (h + 1) * size)
        scores = q[:, part] @ k[:, part].T / math.sqrt(size)
        out.append(softmax(scores if mask is None else np.where(mask, scores, -np.inf)) @ v[:, part])
    return np.concatenate(out, -1)


def resized_along(levels, to):
    """The rows of (rows, columns, 3) to `to` rows: a triangle filter in whole numbers of 16 bits, as torchvision has it for
    bytes."""
    scale = levels.shape[0] / to
    taps = []
    for i in range(to):
        centre = scale * (i + 0.5)
        first, end = max(int(centre - scale + 0.5), 0), min(int(centre + scale + 0.5), levels.shape[0])
        weights = np.maximum(0, 1 - np.abs((np.arange(first, end) - centre + 0.5) / scale))
        taps.append((first, weights / weights.sum()))
    most, bits = max(weights.max() for _, weights in taps), 0
    while int(0.5 + most * (1 << (bits + 1))) < 1 << 15:
        bits += 1
    rows = []
    for first, weights in taps:
        whole = np.floor(0.5 + weights * (1 << bits)).astype(np.int64)
        total = np.tensordot(whole, levels[first:first + len(whole)], (0, 0)) + (1 << (bits - 1))
        rows.append(np.clip(total >> bits, 0, 255))
    return np.stack(rows)


def picture(case, size):
    """pixel_values of DETR's processor."""
    about = json.loads((HERE / case / "preprocessor_config.json").read_text())
    image = Image.open(HERE / "images" / json.loads((HERE / case / "golden.json").read_text())["image"]).convert("RGB")
    levels = resized_along(np.asarray(image, np.int64).transpose(1, 0, 2), size[0]).transpose(1, 0, 2)
    levels = resized_along(levels, size[1])
    mean, std = np.array(about["image_mean"]), np.array(about["image_std"])
    return ((levels / 255 - mean) / std).transpose(2, 0, 1)


def vit(w, root, pixels, layers=3, heads=4, patch=16):
    """The residual stream after the last block."""
    embeddings = root + ".embeddings."
    kernel = w[embeddings + "patch_embeddings.projection.weight"]
    _, height, width = pixels.shape
    patches = pixels.reshape(3, height // patch, patch, width // patch, patch).transpose(1, 3, 0, 2, 4)
    patches = patches.reshape(-1, 3 * patch * patch) @ kernel.reshape(len(kernel), -1).T
    patches += w[embeddings + "patch_embeddings.projection.bias"]
    z = np.concatenate([w[embeddings + "cls_token"][0], patches]) + w[embeddings + "position_embeddings"][0]
    for i in range(layers):
        block = f"{root}.encoder.layer.{i}."
        y = norm(w, block + "layernorm_before", z, 1e-12)
        q, k, v = (linear(w, block + "attention.attention." + part, y) for part in ("query", "key", "value"))
        z = z + linear(w, block + "attention.output.dense", attend(q, k, v, heads))
        y = erf_gelu(linear(w, block + "intermediate.dense", norm(w, block + "layernorm_after", z, 1e-12)))
        z = z + linear(w, block + "output.dense", y)
    return norm(w, root + ".layernorm", z, 1e-12)


def vit_logits(w, pixels):
    return linear(w, "classifier", vit(w, "vit", pixels)[0])


def convolve(x, kernel, stride, padding):
    x = np.pad(x, ((0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel.shape[2:], (1, 2))[:, ::stride, ::stride]
    return np.tensordot(kernel, windows, ([1, 2, 3], [0, 3, 4]))


def resnet18(w, root, x):
    def layer(x, conv, bn, stride, padding):
        y = convolve(x, w[conv + ".weight"], stride, padding)
        scale = w[bn + ".weight"] / np.sqrt(w[bn + ".running_var"] + 1e-5)
        return y * scale[:, None, None] + (w[bn + ".bias"] - w[bn + ".running_mean"] * scale)[:, None, None]

    x = np.maximum(layer(x, root + "conv1", root + "bn1", 2, 3), 0)
    x = np.pad(x, ((0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    x = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))[:, ::2, ::2].max((3, 4))
    for stage in range(1, 5):
        for block in range(2):
            at, stride = f"{root}layer{stage}.{block}.", 2 if stage > 1 and block == 0 else 1
            y = np.maximum(layer(x, at + "conv1", at + "bn1", stride, 1), 0)
            y = layer(y, at + "conv2", at + "bn2", 1, 1)
            if stride == 2:
                x = layer(x, at + "downsample.0", at + "downsample.1", 2, 0)
            x = np.maximum(x + y, 0)
    return x


def sine_positions(height, width, dim):
    """DETR's sine embedding with normalize=True: y, then x."""
    half = dim // 2
    steps = 10000 ** (2 * (np.arange(half) // 2) / half)

    def axis(count):
        places = (np.arange(count) + 1) / (count + 1e-6) * 2 * math.pi
        angles = places[:, None] / steps
        return np.stack([np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])], 2).reshape(count, half)

    down, across = axis(height), axis(width)
    return np.concatenate([np.repeat(down, width, 0), np.tile(across, (height, 1))], 1)


def detr(w, pixels, about):
    dim, eps = about["d_model"], 1e-5
    features = resnet18(w, "model.backbone.conv_encoder.model.", pixels)
    kernel = w["model.input_projection.weight"][:, :, 0, 0]
    x = features.reshape(len(features), -1).T @ kernel.T + w["model.input_projection.bias"]
    positions = sine_positions(*features.shape[1:], dim)

    def attention(name, query, key, value, heads):
        q, k = linear(w, name + ".q_proj", query), linear(w, name + ".k_proj", key)
        y = attend(q, k, linear(w, name + ".v_proj", value), heads)
        return linear(w, name + ".out_proj", y)

    def feed_forward(layer, x):
        y = linear(w, layer + "fc2", np.maximum(linear(w, layer + "fc1", x), 0))
        return norm(w, layer + "final_layer_norm", x + y, eps)

    for i in range(about["encoder_layers"]):
        layer = f"model.encoder.layers.{i}."
        y = attention(layer + "self_attn", x + positions, x + positions, x, about["encoder_attention_heads"])
        x = feed_forward(layer, norm(w, layer + "self_attn_layer_norm", x + y, eps))
    memory, queries = x, w["model.query_position_embeddings.weight"]
    x, heads = np.zeros_like(queries), about["decoder_attention_heads"]
    for i in range(about["decoder_layers"]):
        layer = f"model.decoder.layers.{i}."
        y = attention(layer + "self_attn", x + queries, x + queries, x, heads)
        x = norm(w, layer + "self_attn_layer_norm", x + y, eps)
        y = attention(layer + "encoder_attn", x + queries, memory + positions, memory, heads)
        x = norm(w, layer + "encoder_attn_layer_norm", x + y, eps)
        x = feed_forward(layer, x)
    x = norm(w, "model.decoder.layernorm", x, eps)
    boxes = x
    for i in range(3):
        boxes = linear(w, f"bbox_predictor.layers.{i}", boxes)
        boxes = np.maximum(boxes, 0) if i < 2 else 1 / (1 + np.exp(-boxes))
    return linear(w, "class_labels_classifier", x), boxes


def gpt2(w, ids, encoded, layers=2, heads=4):
    """Logits of the word after each of these."""
    root, eps = "decoder.transformer.", 1e-5

    def project(name, x):  # Conv1D: (in, out)
        return x @ w[name + ".weight"] + w[name + ".bias"]

    def tanh_gelu(x):
        return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2

    x = w[root + "wte.weight"][ids] + w[root + "wpe.weight"][:len(ids)]
    earlier = np.tril(np.ones((len(ids), len(ids)), bool))
    for i in range(layers):
        block = f"{root}h.{i}."
        q, k, v = np.split(project(block + "attn.c_attn", norm(w, block + "ln_1", x, eps)), 3, -1)
        x = x + project(block + "attn.c_proj", attend(q, k, v, heads, earlier))
        q = project(block + "crossattention.q_attn", norm(w, block + "ln_cross_attn", x, eps))
        k, v = np.split(project(block + "crossattention.c_attn", encoded), 2, -1)
        x = x + project(block + "crossattention.c_proj", attend(q, k, v, heads))
        y = tanh_gelu(project(block + "mlp.c_fc", norm(w, block + "ln_2", x, eps)))
        x = x + project(block + "mlp.c_proj", y)
    return norm(w, root + "ln_f", x, eps) @ w.all.get("decoder.lm_head.weight", w[root + "wte.weight"]).T


def say(w, pixels, steps=12):
    """Greedy decoding: ids, and the log-probability of each."""
    encoded, ids, logs = vit(w, "encoder", pixels), [0], []
    for _ in range(steps):
        logits = gpt2(w, ids, encoded)[-1]
        ids.append(int(logits.argmax()))
        logs.append(math.log(softmax(logits)[ids[-1]]))
        two = np.sort(logits)[-2:]
        assert two[1] - two[0] > 1e-3, "a close call: choose another head"
    return ids, logs


def write(case, all_of_case):
    lines = ",\n ".join(json.dumps(one) for one in all_of_case)
    (HERE / case / "heads-off.json").write_text(f"[{lines}]\n")


def rounded(x):
    return [round(float(v), 7) for v in np.ravel(x)]


def vit_case(case="vit-nano"):
    print(case)
    w, theirs = Weights(case), golden(case)
    check("logits", vit_logits(w, theirs["pixel_values"][0].astype(np.float64)), theirs["logits"])
    pixels = theirs["pixel_values"][0].astype(np.float64)
    found = []
    for layer, head in ((0, 1), (2, 3)):
        name = f"vit.encoder.layer.{layer}.attention.output.dense.weight"
        logits = vit_logits(w.without(name, 1, 16 * head, 16), pixels)
        found.append({"off": [layer, head], "tensor": name, "first": 16 * head, "columns": 16, "logits": rounded(logits)})
    write(case, found)


def detr_case(case="detr-nano"):
    print(case)
    w, theirs = Weights(case), golden(case)
    about = json.loads((HERE / case / "config.json").read_text())
    _, _, height, width = json.loads((HERE / case / "golden.json").read_text())["input"]
    pixels = picture(case, (width, height))
    check("pixel_values", pixels[:, ::8, ::8], theirs["pixel_values"][0])
    logits, boxes = detr(w, pixels, about)
    check("logits", logits, theirs["logits"])
    check("boxes", boxes, theirs["boxes"])
    encoders, found = about["encoder_layers"], []
    for layer, head in ((0, 1), (encoders, 2)):
        side = "encoder" if layer < encoders else "decoder"
        size = about["d_model"] // about[side + "_attention_heads"]
        name = f"model.{side}.layers.{layer % encoders}." + ("self_attn" if side == "encoder" else "encoder_attn")
        name += ".out_proj.weight"
        logits, boxes = detr(w.without(name, 1, size * head, size), pixels, about)
        found.append({"off": [layer, head], "tensor": name, "first": size * head, "columns": size,
                      "logits": rounded(logits), "boxes": rounded(boxes)})
    write(case, found)


def captioner_case(case="vit-gpt2-nano"):
    print(case)
    w, theirs = Weights(case), golden(case)
    pixels = theirs["pixel_values"][0].astype(np.float64)
    ids = json.loads((HERE / case / "golden.json").read_text())["ids"]
    encoded = vit(w, "encoder", pixels)
    check("encoder_last", encoded[:8], theirs["encoder_last"])
    logits = gpt2(w, ids[:-1], encoded)
    check("step_logits_top8", np.sort(logits, -1)[:, ::-1][:, :8], theirs["step_logits_top8"])
    assert say(w, pixels)[0] == ids
    found = []
    for layer, head, name in ((1, 3, "encoder.encoder.layer.1.attention.output.dense.weight"),
                              (3, 1, "decoder.transformer.h.0.attn.c_proj.weight"),
                              (6, 0, "decoder.transformer.h.1.crossattention.c_proj.weight")):
        axis = 1 if name.startswith("encoder") else 0
        said, logs = say(w.without(name, axis, 16 * head, 16), pixels, 6)
        found.append({"off": [layer, head], "tensor": name, "first": 16 * head, "columns": 16, "ids": said,
                      "log_probs": rounded(logs)})
    write(case, found)


if __name__ == "__main__":
    vit_case()
    detr_case()
    captioner_case()
