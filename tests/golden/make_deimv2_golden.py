#!/usr/bin/env python3
"""make_deimv2_golden.py CLONE OUT [CASE...]: what DEIMv2's authors' own code computes, in float64, for the cases
deimv2-authors-*. CLONE is a clone of github.com/Intellindust-AI-Lab/DEIMv2. Needs torch, torchvision, Pillow.

A case is a folder as make_golden.py describes it, but config.json and the names of tensors are the authors'."""
import importlib
import json
import pathlib
import struct
import sys
import types

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

from synthetic import weight

HERE = pathlib.Path(__file__).parent
# Scales of norms lie around 1; the first convolutions of a block, what a layer of ViT adds and what the decoder reads
# stay in range.
ADJUST = [[r"(norm\d?\.scale|lab\.scale|\.gamma)$", 0.4, 1.0], [r"aggregation\.1\.bn\.weight$", 0.6, 0],
          [r"input_proj\.\d\.norm\.weight$", 0.4, 0], [r"(fpn|pan)_blocks?\..*norm\.weight$", 0.75, 0],
          [r"blocks\.\d+\.(attn\.proj|mlp\.fc2)\.weight$", 0.25, 0]]


def authors_classes(clone):
    """Their modules, without the packages that only training needs."""
    for name in ("engine", "engine.deim", "engine.backbone"):
        package = types.ModuleType(name)
        package.__path__ = [str(pathlib.Path(clone, *name.split(".")))]
        sys.modules[name] = package
    core = types.ModuleType("engine.core")
    core.register = lambda *_, **__: lambda kind: kind
    sys.modules["engine.core"] = core
    if not hasattr(F, "scaled_dot_product_attention"):  # torch 1
        F.scaled_dot_product_attention = lambda q, k, v, **_: (
            (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1) @ v)
    torch.nn.SyncBatchNorm = torch.nn.BatchNorm2d  # which does the same, on a CPU too
    if not hasattr(torch, "compiler"):
        torch.compiler = types.SimpleNamespace(allow_in_graph=lambda function: function)
        torch._dynamo = types.SimpleNamespace(config=types.SimpleNamespace())

    def of(module, name):
        return getattr(importlib.import_module(module), name)

    return {"HGNetv2": of("engine.backbone.hgnetv2", "HGNetv2"),
            "DINOv3STAs": of("engine.backbone.dinov3_adapter", "DINOv3STAs"),
            "LiteEncoder": of("engine.deim.lite_encoder", "LiteEncoder"),
            "HybridEncoder": of("engine.deim.hybrid_encoder", "HybridEncoder"),
            "DEIMTransformer": of("engine.deim.deim_decoder", "DEIMTransformer"),
            "PostProcessor": of("engine.deim.postprocessor", "PostProcessor")}


def lite():
    """The form of the smallest sizes. In a picture this wide, cells close to its ends are left out."""
    return {"HGNetv2": {"name": "Atto", "return_idx": [2], "freeze_at": -1, "freeze_norm": False, "use_lab": True,
                        "pretrained": False},
            "LiteEncoder": {"in_channels": [256], "feat_strides": [16], "hidden_dim": 24, "expansion": 0.67,
                            "depth_mult": 0.5, "act": "silu"},
            "DEIMTransformer": {"num_classes": 12, "feat_channels": [24, 24], "feat_strides": [16, 32],
                                "hidden_dim": 24, "nhead": 2, "num_levels": 2, "num_points": [4, 2], "num_layers": 3,
                                "eval_idx": -1, "num_queries": 14, "dim_feedforward": 40, "reg_max": 16,
                                "activation": "silu", "mlp_act": "silu", "share_bbox_head": True,
                                "use_gateway": False, "eval_spatial_size": [32, 832]},
            "PostProcessor": {"num_classes": 12, "num_top_queries": 100}}


def hybrid():
    """The form of size N, with another activation in its perceptrons."""
    return {"HGNetv2": {"name": "B0", "return_idx": [2, 3], "freeze_at": -1, "freeze_norm": False, "use_lab": True,
                        "pretrained": False},
            "HybridEncoder": {"in_channels": [512, 1024], "feat_strides": [16, 32], "hidden_dim": 32,
                              "use_encoder_idx": [1], "num_encoder_layers": 1, "nhead": 4, "dim_feedforward": 48,
                              "dropout": 0.0, "enc_act": "gelu", "expansion": 0.5, "depth_mult": 0.5, "act": "silu",
                              "version": "dfine", "csp_type": "csp2", "fuse_op": "sum"},
            "DEIMTransformer": {"num_classes": 12, "feat_channels": [32, 32], "feat_strides": [16, 32],
                                "hidden_dim": 32, "nhead": 4, "num_levels": 2, "num_layers": 3, "eval_idx": -1,
                                "num_queries": 16, "reg_max": 16, "reg_scale": 4, "layer_scale": 1,
                                "num_points": [3, 3], "cross_attn_method": "default",
                                "query_select_method": "default", "activation": "relu", "mlp_act": "gelu",
                                "dim_feedforward": 48, "eval_spatial_size": [128, 128]},
            "PostProcessor": {"num_classes": 12, "num_top_queries": 100}}


def dino():
    """The form of S and M: a ViT whose keys have biases, and which has neither layer scale nor a last norm."""
    return {"DINOv3STAs": {"name": "vit_tiny", "embed_dim": 24, "interaction_indexes": [5, 8, 11], "num_heads": 2,
                           "conv_inplane": 8},
            "HybridEncoder": {"in_channels": [24, 24, 24], "feat_strides": [8, 16, 32], "hidden_dim": 24,
                              "use_encoder_idx": [2], "num_encoder_layers": 1, "nhead": 2, "dim_feedforward": 40,
                              "dropout": 0.0, "enc_act": "gelu", "expansion": 0.67, "depth_mult": 0.67, "act": "silu",
                              "version": "deim", "csp_type": "csp2", "fuse_op": "sum"},
            "DEIMTransformer": {"num_classes": 12, "feat_channels": [24, 24, 24], "feat_strides": [8, 16, 32],
                                "hidden_dim": 24, "nhead": 2, "num_levels": 3, "num_layers": 2, "eval_idx": -1,
                                "num_queries": 20, "reg_max": 16, "num_points": [3, 6, 3], "activation": "silu",
                                "mlp_act": "silu", "dim_feedforward": 40, "eval_spatial_size": [128, 128]},
            "PostProcessor": {"num_classes": 12, "num_top_queries": 100}}


# Seeds for which scores are well apart and, in a picture so wide, cells at its ends would be chosen if they counted.
CASES = {"deimv2-authors-lite": (lite, "astronaut", 56), "deimv2-authors-hybrid": (hybrid, "coffee", 1),
         "deimv2-authors-dino": (dino, "astronaut", 3)}


def stored_tensors(modules):
    """Their state, each tensor under the first of its names, as safetensors' save_model keeps it."""
    names = {}
    for part, module in modules.items():
        for name, tensor in module.state_dict().items():
            # reg_scale is a whole number where a config.json has one
            if (tensor.is_floating_point() or name.endswith("reg_scale")) and not name.endswith(("anchors", "periods")):
                names.setdefault(tensor.data_ptr() or id(tensor), []).append((f"{part}.{name}", tensor))
    return {min(same)[0]: same[0][1] for same in names.values()}


def fill(modules, out, seed):
    rows = []
    for name, tensor in sorted(stored_tensors(modules).items()):
        if name.endswith((".up", ".reg_scale", ".num_points_scale")):
            rows.append([name, list(tensor.shape), tensor.double().tolist()])
            continue
        rows.append([name, list(tensor.shape)])
        tensor.copy_(weight(name, tensor.shape, seed, ADJUST))
    (out / "weights.json").write_text(json.dumps({"seed": seed, "dtype": "F32", "tensors": rows, "adjust": ADJUST},
                                                 separators=(",", ":")))
    for module in modules.values():
        module.double().eval()


def write_safetensors(path, tensors):
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        data = np.ascontiguousarray(tensor.detach().numpy(), np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def pixels_of(config, image):
    height, width = config["DEIMTransformer"]["eval_spatial_size"]
    levels = np.array(image.resize((width, height), Image.Resampling.BILINEAR))
    pixels = torch.from_numpy(levels).permute(2, 0, 1)[None].double() / 255
    if "DINOv3STAs" not in config:
        return pixels
    mean, deviation = (torch.tensor(v).double()[:, None, None] for v in ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    return (pixels - mean) / deviation


def make(classes, out, case):
    form, picture, seed = CASES[case]
    config = form()
    (out / "config.json").write_text(json.dumps(config, indent=1))
    torch.manual_seed(0)
    parts = dict(zip(("backbone", "encoder", "decoder", "post"), config))
    modules = {part: classes[key](**config[key]) for part, key in parts.items() if part != "post"}
    post = classes["PostProcessor"](**config["PostProcessor"])
    with torch.no_grad():
        fill(modules, out, seed)
    decoder, kept = modules["decoder"], {}
    last = decoder.decoder.layers[-1]

    def keep(module, name, of):
        module.register_forward_hook(lambda _, given, result: kept.update({name: of(given, result)}))

    def sampling(value, shapes, places, weights, *rest):
        kept["places"], kept["weights"] = places[0], weights[0]
        return sample(value, shapes, places, weights, *rest)

    sample = last.cross_attn.ms_deformable_attn_core
    last.cross_attn.ms_deformable_attn_core = sampling
    keep(decoder.enc_score_head, "scored", lambda given, result: result[0])
    keep(decoder.enc_bbox_head, "deltas", lambda given, result: result)
    keep(decoder.decoder.lqe_layers[-1], "corners", lambda given, result: given[1][0])
    if hasattr(modules["encoder"], "encoder"):
        keep(modules["encoder"].encoder[-1].layers[-1].self_attn, "aifi", lambda given, result: result[1][0])
    first = decoder.decoder.forward

    def decode(target, reference, memory, *rest, **more):
        kept["reference"], kept["memory"] = reference[0].sigmoid(), memory
        return first(target, reference, memory, *rest, **more)

    decoder.decoder.forward = decode
    image = Image.open(HERE / "images" / f"{picture}.png").convert("RGB")
    pixels = pixels_of(config, image)
    with torch.inference_mode():
        result = decoder(modules["encoder"](modules["backbone"](pixels)))
        found = post(result, torch.tensor([image.size]))[0]
        head = decoder.enc_score_head  # not called as a module, which would keep these scores
        unmasked = F.linear(kept["memory"], head.weight, head.bias)[0].max(-1).values

    count = config["DEIMTransformer"]["num_queries"]
    scores = kept["scored"].max(-1).values
    order = scores.sort(descending=True)
    chosen, gaps = order.indices[:count], order.values[:count] - order.values[1:count + 1]
    outside = (~decoder.valid_mask[0, :, 0]).nonzero()[:, 0]
    would_be_chosen = sum(int(i) in outside for i in unmasked.topk(count).indices)
    rows = chosen.argsort()
    logits, boxes = result["pred_logits"][0][rows], result["pred_boxes"][0][rows]
    best = logits.sigmoid().max(-1).values.topk(5).indices
    tensors = {"pixel_values": pixels[..., ::8, ::8], "topk_indices": chosen[rows], "topk_scores": scores[chosen[rows]],
               "reference_points": kept["reference"][rows], "logits": logits, "boxes": boxes,
               "sampling_locations_top5": kept["places"].reshape(count, decoder.nhead, -1, 2)[rows][best],
               "sampling_weights_top5": kept["weights"].reshape(count, decoder.nhead, -1)[rows][best],
               "corners_top5": kept["corners"][rows][best]}
    if "aifi" in kept:  # the row of the cell in the middle of a square map
        side = round(len(kept["aifi"]) ** 0.5)
        tensors["aifi_attention_center"] = kept["aifi"][side // 2 * side + side // 2]
    write_safetensors(out / "golden.safetensors", tensors)
    flat = logits.sigmoid().flatten().sort(descending=True).values
    at = 4 + int((flat[4:15] - flat[5:16]).argmax())
    threshold = float((flat[at] + flat[at + 1]) / 2)
    info = {"image": f"{picture}.png", "image_size": list(image.size), "input": list(pixels.shape),
            "outside": outside.tolist(), "outside_would_be_chosen": would_be_chosen, "topk_margin": float(gaps[-1]),
            "topk_smallest_gap": float(gaps.min()), "topk_order": chosen.tolist(), "top5_queries": best.tolist(),
            "threshold": threshold, "threshold_gap": float(flat[at] - flat[at + 1]),
            "detections": [{"score": float(s), "label": int(i), "box": [float(x) for x in b]}
                           for s, i, b in zip(found["scores"], found["labels"], found["boxes"]) if s > threshold]}
    (out / "golden.json").write_text(json.dumps(info, indent=1))


if __name__ == "__main__":
    kinds = authors_classes(sys.argv[1])
    for case in sys.argv[3:] or CASES:
        folder = pathlib.Path(sys.argv[2]) / case
        folder.mkdir(parents=True, exist_ok=True)
        make(kinds, folder, case)
        print(case, sum(f.stat().st_size for f in folder.iterdir()), "bytes")
