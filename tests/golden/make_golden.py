#!/usr/bin/env python3
"""make_golden.py OUT [CASE...]: what Hugging Face transformers computes, in float64 with eager attention, for the cases
of this folder that are not in the parity kit. Needs torch, transformers, timm, Pillow. The weights are the deterministic ones
of models/files/synthetic.cpp: value = f(seed, tensor name, index); this file computes them once more, independently.

A case is a folder: config.json and preprocessor_config.json as transformers saves them, weights.json (tensor names,
shapes, seed, storage type), golden.safetensors (the tensors listed in tests/golden/README.md) and golden.json."""
import json
import math
import pathlib
import re
import sys

import numpy as np
import torch
import transformers
from PIL import Image
from safetensors.torch import load_file, save_file

from synthetic import SEED, weight

HERE = pathlib.Path(__file__).parent


def checkpoint(out, model, processor, stored):
    """Saves model and processor, refills the file with our weights, and loads it as a user would."""
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
    return model


def save_golden(out, tensors, info):
    if tensors["pixel_values"].numel() > 20_000:  # a lattice says enough
        tensors["pixel_values"] = tensors["pixel_values"][..., ::8, ::8]
    save_file({n: t.float().contiguous() for n, t in tensors.items()}, out / "golden.safetensors")
    info = {"image": "chelsea.png", "transformers": transformers.__version__} | info
    (out / "golden.json").write_text(json.dumps(info, indent=1))


def classifier(out, model, processor, image, stored):
    model = checkpoint(out, model, processor, stored)
    pixels = processor(images=image, return_tensors="pt")["pixel_values"].double()
    with torch.inference_mode():
        result = model(pixels, output_attentions=True, output_hidden_states=True)
    attention = torch.stack([a[0] for a in result.attentions])  # layer, head, query, key
    tokens = attention.shape[-1]
    rollout = torch.eye(tokens, dtype=torch.float64)
    for layer in attention.mean(1):
        rollout = (layer + torch.eye(tokens, dtype=torch.float64)) / 2 @ rollout
    top = result.logits[0].softmax(-1).topk(5)
    save_golden(out, {
        "pixel_values": pixels,
        "logits": result.logits[0],
        "hidden_cls": torch.stack([h[0, 0] for h in result.hidden_states]),
        "last_hidden": result.hidden_states[-1][0, :8],
        "attention_cls": attention[:, :, 0],
        "attention_last_row7": attention[-1, :, 7],
        "rollout_cls": rollout[0],
    }, {"input": list(pixels.shape), "top5": [[int(i), float(p)] for p, i in zip(top.values, top.indices)]})


def detector(out, model, processor, image, stored):
    """DETR and YOLOS: the same tensors as the parity kit's."""
    model = checkpoint(out, model, processor, stored)
    pixels = processor(images=image, return_tensors="pt")["pixel_values"].double()
    with torch.inference_mode():
        result = model(pixels, output_attentions=True, output_hidden_states=True)
    scores = result.logits[0].softmax(-1)[:, :-1].max(-1).values
    best = scores.topk(5).indices
    tensors = {"pixel_values": pixels, "logits": result.logits[0], "boxes": result.pred_boxes[0]}
    info = {"input": list(pixels.shape), "image_size": list(image.size), "top5_queries": best.tolist()}
    if "cross_attentions" in result:
        with torch.inference_mode():
            features = model.model.backbone(pixels, torch.ones_like(pixels[:, 0]))[-1][0]
        height, width = features.shape[-2:]
        encoded = result.encoder_last_hidden_state[0]
        cross = result.cross_attentions[-1][0]  # head, query, key
        tensors |= {
            "encoder_last": encoded[:: max(1, len(encoded) // 16)],
            "decoder_last": result.last_hidden_state[0, :8],
            "cross_attention_top5": cross.mean(0)[best],
            "cross_attention_heads_q0": cross[:, 0],
            "encoder_attention_center": result.encoder_attentions[-1][0].mean(0)[height // 2 * width + width // 2],
        }
        info |= {"feature": [height, width], "tokens": height * width}
    else:
        queries = model.config.num_detection_tokens
        attention = result.attentions[-1][0]  # head, query, key
        tensors |= {
            "last_detection_tokens": result.last_hidden_state[0, -queries:][:8],
            "attention_top5": attention.mean(0)[-queries:][best],
        }
        info |= {"tokens": attention.shape[-1]}
    info["threshold"] = float(scores.topk(10).values[-1]) - 1e-6
    found = processor.post_process_object_detection(result, info["threshold"], [image.size[::-1]])[0]
    info["detections"] = [
        {"score": float(s), "label": int(i), "box": [float(x) for x in b]}
        for s, i, b in zip(found["scores"], found["labels"], found["boxes"])]
    save_golden(out, tensors, info)


def captioner(out, model, processor, image, stored, steps=12):
    """Greedy decoding step by step, and sentences by beams under several rules."""
    model = checkpoint(out, model, processor, stored)
    pixels = processor(images=image, return_tensors="pt")["pixel_values"].double()
    options = {"pixel_values": pixels, "do_sample": False, "max_new_tokens": steps, "return_dict_in_generate": True}
    blip = isinstance(model, transformers.BlipForConditionalGeneration)
    with torch.inference_mode():
        encoded = (model.vision_model if blip else model.encoder)(pixels).last_hidden_state
        greedy = model.generate(num_beams=1, output_logits=True, **options)
        ids = greedy.sequences[:, :-1]
        if blip:
            read = model.text_decoder(input_ids=ids, encoder_hidden_states=encoded, output_attentions=True)
        else:
            read = model(pixels, decoder_input_ids=ids, output_attentions=True)
        rules = {
            "beam4": {"num_beams": 4},
            "beam3_no_repeat": {"num_beams": 3, "no_repeat_ngram_size": 2, "length_penalty": 2.0},
            "beam4_early": {"num_beams": 4, "early_stopping": True, "length_penalty": 0.0},
            "beam2_never": {"num_beams": 2, "early_stopping": "never", "repetition_penalty": 1.5},
            "no_repeat": {"num_beams": 1, "no_repeat_ngram_size": 2},
            "penalty": {"num_beams": 1, "repetition_penalty": 1.5},
        }
        found = {name: model.generate(output_scores=True, **options, **rule) for name, rule in rules.items()}
    logits = torch.stack([step[0] for step in greedy.logits])
    top = logits.topk(8)
    info = {
        "input": list(pixels.shape), "ids": greedy.sequences[0].tolist(),
        "margin": [float(a - b) for a, b in top.values[:, :2]],
        "sentences": [
            {"name": name, "rules": rules[name], "ids": one.sequences[0].tolist(),
             "score": float(one.sequences_scores[0]) if "sequences_scores" in one else None}
            for name, one in found.items()]}
    save_golden(out, {
        "pixel_values": pixels, "encoder_last": encoded[0, :8], "step_logits_top8": top.values,
        "step_ids_top8": top.indices, "cross_attention_steps": read.cross_attentions[-1][0].mean(0)}, info)


def vit_gpt2_odd(out, image):
    """Encoder and decoder of different sizes, heads of 20 and 12, a picture that is not square, scores scaled by
    layer, words that end sentences, a BF16 file."""
    encoder = transformers.ViTConfig(
        hidden_size=60, num_hidden_layers=2, num_attention_heads=3, intermediate_size=100, image_size=[56, 84],
        patch_size=14)
    decoder = transformers.GPT2Config(
        n_embd=48, n_layer=3, n_head=4, vocab_size=97, n_positions=40, bos_token_id=3, eos_token_id=3,
        scale_attn_by_inverse_layer_idx=True, activation_function="gelu", add_cross_attention=True, is_decoder=True)
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    model = transformers.VisionEncoderDecoderModel(config)
    model.generation_config = transformers.GenerationConfig(
        decoder_start_token_id=3, bos_token_id=3, eos_token_id=[3, 17, 41, 60, 88], pad_token_id=3, max_length=24)
    processor = transformers.ViTImageProcessor(size={"height": 56, "width": 84})
    captioner(out, model, processor, image, "BF16")


def blip_odd(out, image):
    """Heads of 12 and 20, a decoder of another size than the encoder, a stop that comes, an F16 file."""
    text = {
        "hidden_size": 60, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 100,
        "vocab_size": 90, "encoder_hidden_size": 48, "bos_token_id": 5, "eos_token_id": 2, "sep_token_id": 11,
        "pad_token_id": 0, "max_position_embeddings": 40, "hidden_act": "gelu_new"}
    vision = {
        "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 90,
        "image_size": 56, "patch_size": 14, "layer_norm_eps": 1e-6}
    config = transformers.BlipConfig(text_config=text, vision_config=vision)
    processor = transformers.BlipImageProcessor(size={"height": 56, "width": 56})
    captioner(out, transformers.BlipForConditionalGeneration(config), processor, image, "F16")


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


def detr(out, image, size, backbone, stored="F32", **config):
    config = transformers.DetrConfig(
        backbone_config=backbone, num_labels=9, num_queries=15, encoder_layers=2, decoder_layers=2,
        encoder_ffn_dim=100, decoder_ffn_dim=72, **config)
    detector(out, transformers.DetrForObjectDetection(config), transformers.DetrImageProcessor(size=size), image, stored)


def detr_thin(out, image):
    """A thin bottleneck ResNet under transformers' names, heads of 20, a grid that is not square, an F16 file."""
    backbone = transformers.ResNetConfig(
        embedding_size=20, hidden_sizes=[24, 40, 64, 88], depths=[1, 2, 1, 2], layer_type="bottleneck",
        out_features=["stage4"])
    detr(out, image, {"shortest_edge": 150, "longest_edge": 260}, backbone, "F16", d_model=60,
         encoder_attention_heads=3, decoder_attention_heads=3)


def detr_basic(out, image):
    """Basic blocks, strides where they are unusual, the third stage's output, another number of heads in the decoder."""
    backbone = transformers.ResNetConfig(
        embedding_size=16, hidden_sizes=[16, 24, 40, 56], depths=[1, 1, 2, 1], layer_type="basic",
        downsample_in_first_stage=True, out_features=["stage2", "stage3"])
    detr(out, image, {"height": 200, "width": 130}, backbone, "BF16", d_model=48, encoder_attention_heads=2,
         decoder_attention_heads=4, activation_function="gelu")


def detr_dc5(out, image, name="resnet50"):
    """timm's dilated last stage: the first block keeps the dilation of the stage before."""
    backbone = transformers.TimmBackboneConfig(
        backbone=name, use_pretrained_backbone=False, out_indices=[1, 2, 3, 4], output_stride=16)
    detr(out, image, {"shortest_edge": 64, "longest_edge": 100}, backbone, d_model=64, encoder_attention_heads=4,
         decoder_attention_heads=4, dilation=True)


def detr_dc5_basic(out, image):
    detr_dc5(out, image, "resnet18")


def yolos_mid(out, image):
    """Positions after every block, a grid that is both enlarged and shrunk, heads of 20, a BF16 file."""
    config = transformers.YolosConfig(
        hidden_size=60, num_hidden_layers=3, num_attention_heads=3, intermediate_size=100, image_size=[64, 112],
        patch_size=16, num_detection_tokens=13, use_mid_position_embeddings=True, num_labels=9)
    processor = transformers.YolosImageProcessor(size={"shortest_edge": 84, "longest_edge": 130})
    detector(out, transformers.YolosForObjectDetection(config), processor, image, "BF16")


sys.path.insert(0, str(HERE / "../../models/pretrained/training"))      # models that are defined there


def attention_cnn_nano(out, image):
    """Not transformers but the definition that the model is trained with."""
    import folders
    from attention_cnn import AttentionCNN
    from resnet import ResNetShape

    shape = ResNetShape(8, (16, 24, 32), (1, 2, 1), output_stride=8)
    model = AttentionCNN(shape, 64, 12, 7).eval()
    folders.save_attention_cnn(model, out, [f"class {i}" for i in range(7)])
    shapes = {name: list(tensor.shape) for name, tensor in load_file(out / "model.safetensors").items()}
    (out / "model.safetensors").unlink()
    gamma = "attention.gamma", [1], [0.75]
    rows = [gamma if name == gamma[0] else (name, shape) for name, shape in sorted(shapes.items())]
    (out / "weights.json").write_text(
        json.dumps({"seed": SEED, "dtype": "F32", "tensors": rows}, separators=(",", ":")))
    model.double()
    own = {name: weight(name, shape) for name, shape in shapes.items()}
    own[gamma[0]] = torch.tensor(gamma[2])
    # A convolution with a bias is one whose norm does nothing but add it.
    stored = folders.resnet_tensors(model.backbone, "backbone.")
    for tensor_name, tensor in stored.items():
        folded = tensor_name.replace("normalization.bias", "convolution.bias")
        if "normalization.weight" in tensor_name:
            tensor.fill_(math.sqrt(1 + 1e-5))
        elif folded in own:
            tensor.copy_(own[folded])
    for name, part in (("attention", model.attention), ("classifier", model.head)):
        part.load_state_dict({key: own[f"{name}.{key}"] for key in part.state_dict()})
    processor = transformers.ViTImageProcessor(size={"height": 64, "width": 64}, resample=2)
    pixels = processor(images=image, return_tensors="pt")["pixel_values"].double()
    with torch.inference_mode():
        pooled = model.pooled(pixels)
        save_golden(out, {
            "pixel_values": pixels, "logits": model.head(pooled)[0], "pooled": pooled[0],
            "attention": model.attention.weights(model.backbone(pixels))[0],
        }, {"input": list(pixels.shape)})


class Words:
    """A vocabulary without words; the last id begins and ends a sentence."""

    def __init__(self, count):
        self.tokens, self.end = range(count), count - 1

    def save(self, folder, length):
        pass


def best_sentence(read, start, beams, steps):
    """Beam search in which no sentence ends: that the end is never near is checked."""
    found = [((start,), 0.0)]
    for _ in range(steps):
        logs = read(torch.tensor([ids for ids, _ in found]))[:, -1].log_softmax(-1)
        next_ones = [(ids + (word,), score + float(logs[row, word]))
                     for row, (ids, score) in enumerate(found) for word in range(logs.shape[1])]
        next_ones.sort(key=lambda one: -one[1])
        if any(ids[-1] == start for ids, _ in next_ones[:2 * beams]):
            raise SystemExit("a sentence would end: choose another seed")
        found = next_ones[:beams]
    return list(found[0][0]), found[0][1] / steps


def speaker(out, model, save, tensors_of, weights, image, adjust=(), count=60, steps=12):
    """A captioner as models/pretrained/training defines it. `weights` of the words and of what is seen give what each
    word looked at."""
    words = Words(count)
    save(model, out, words, num_beams=1)
    shapes = {name: list(tensor.shape) for name, tensor in load_file(out / "model.safetensors").items()}
    (out / "model.safetensors").unlink()
    (out / "weights.json").write_text(json.dumps(
        {"seed": SEED, "dtype": "F32", "tensors": sorted(shapes.items()), "adjust": adjust}, separators=(",", ":")))
    model.double().eval()
    for name, tensor in tensors_of(model).items():
        value = weight(name, shapes[name])
        factor = next((factor for found, factor, _ in adjust if re.search(found, name)), 1)
        tensor.copy_(value * np.float32(factor))
    side = json.loads((out / "preprocessor_config.json").read_text())["size"]["height"]
    levels = np.array(image.resize((side, side), Image.Resampling.BILINEAR))
    pixels = (torch.from_numpy(levels).permute(2, 0, 1)[None].double() / 255 - 0.5) / 0.5
    with torch.inference_mode():
        seen = model.look(pixels)
        read = lambda ids: model.read(ids, seen.expand(len(ids), -1, -1))
        ids = [words.end]
        for _ in range(steps):
            ids.append(int(read(torch.tensor([ids]))[0, -1].argmax()))
        top = read(torch.tensor([ids[:-1]]))[0].topk(8)
        best, score = best_sentence(read, words.end, 4, steps)
        save_golden(out, {
            "pixel_values": pixels, "encoder_last": seen[0, :8], "step_logits_top8": top.values,
            "step_ids_top8": top.indices, "cross_attention_steps": weights(model, ids[:-1], seen)}, {
            "transformers": None, "input": list(pixels.shape), "ids": ids, "margin": [float(a - b) for a, b in top.values[:, :2]],
            "sentences": [{"name": "beam4", "rules": {"num_beams": 4}, "ids": best, "score": score}]})


def show_attend_tell_nano(out, image):
    import folders
    from rt_detr import RtDetrShape
    from show_attend_tell import ShowAttendTell

    def weights(model, ids, a):
        places, (h, c), rows = model.attend_place(a), model.first(a), []
        for word in ids:
            rows.append(model.weights(places, h)[0])
            _, h, c = model.step(model.words.weight[word][None], a, places, h, c)
        return torch.stack(rows)

    shape = RtDetrShape(stem=8, channels=(8, 16, 20), depths=(1, 2, 1), side=64)
    model = ShowAttendTell(60, embedding=12, hidden=20, attention=12, shape=shape, length=24)
    speaker(out, model, folders.save_show_attend_tell, folders.show_attend_tell_tensors, weights, image,
            adjust=[["attend_score", 8, 0], ["lstm.weight_hh", 6, 0], ["lstm.weight_ih", 4, 0], ["tell_", 6, 0],
                    ["words", 0.5, 0], ["first_", 3, 0]])


def hybrid_gpt2_nano(out, image):
    import folders
    from hybrid_captioner import HybridCaptioner
    from rt_detr import RtDetrShape

    def weights(model, ids, seen):
        """Of the last block's cross-attention, heads averaged."""
        x = model.words(torch.tensor([ids])) + model.word_positions.weight[:len(ids)]
        for block in model.blocks[:-1]:
            x = block(x, block.look(seen))
        block, kept = model.blocks[-1], []
        block.cross_q.register_forward_hook(lambda module, _, q: kept.append(q))
        block.cross_kv.register_forward_hook(lambda module, _, kv: kept.append(kv.chunk(2, -1)[0]))
        block(x, block.look(seen))
        q, k = (t[0].view(len(t[0]), model.heads, -1).transpose(0, 1) for t in kept)
        return (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).softmax(-1).mean(0)

    shape = RtDetrShape(stem=8, channels=(8, 16, 24, 32), depths=(1, 2, 1, 1), width=24, heads=2, inner=40, side=64)
    model = HybridCaptioner(60, width=72, looks=1, layers=2, shape=shape, length=24)
    speaker(out, model, folders.save_hybrid_captioner, folders.hybrid_captioner_tensors, weights, image)


def known_checkpoint(case, out):
    """The model and the processor of a case whose configuration and list of tensors lie in this folder."""
    for name in ("config.json", "preprocessor_config.json", "weights.json"):
        (out / name).write_bytes((HERE / case / name).read_bytes())
    about = json.loads((out / "weights.json").read_text())
    tensors = {}
    for name, shape, *given in about["tensors"]:
        if given == ["I64"]:
            tensors[name] = torch.zeros(shape, dtype=torch.int64)
        elif given:
            tensors[name] = torch.tensor(given[0]).reshape(shape)
        else:
            tensors[name] = weight(name, shape, about["seed"], about.get("adjust", ()))
    save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
    kind = getattr(transformers, json.loads((out / "config.json").read_text())["architectures"][0])
    model = kind.from_pretrained(out, dtype=torch.float64, attn_implementation="eager").eval()
    (out / "model.safetensors").unlink()
    return model, transformers.AutoImageProcessor.from_pretrained(out)


def some_map(x):
    """About 16 channels, 8 rows and 8 columns of (1, channels, height, width)."""
    return x[0, :: max(1, x.shape[1] // 16), :: max(1, x.shape[2] // 8), :: max(1, x.shape[3] // 8)]


def deimv2(case, picture):
    """DEIMv2: the same tensors as the parity kit has of D-FINE, rows of queries by the cell that they were chosen from."""
    def make(out, _):
        image = Image.open(HERE / "images" / f"{picture}.png").convert("RGB")
        model, processor = known_checkpoint(case, out)
        pixels = processor(images=image, return_tensors="pt")["pixel_values"].double()
        last, kept = model.model.decoder.layers[-1], {}
        core = sys.modules[type(last.encoder_attn).__module__]

        def sampling(value, shapes, places, weights, *rest):
            kept["places"] = places[0].reshape(*places.shape[1:3], -1, 2)
            kept["weights"] = weights[0].reshape(*weights.shape[1:3], -1)
            return sample(value, shapes, places, weights, *rest)

        def keep(module, name, of=lambda result: result):
            module.register_forward_hook(lambda module, given, result: kept.update({name: of(result)}))

        sample = core.multi_scale_deformable_attention_v2
        keep(model.model.conv_encoder, "backbone")
        keep(last.self_attn, "self_attention", lambda result: result[1][0])
        attends = hasattr(model.model.encoder, "aifi")
        if attends:
            keep(model.model.encoder.aifi[-1], "aifi")
            keep(model.model.encoder.aifi[-1].layers[-1].self_attn, "aifi_attention", lambda result: result[1][0])
        core.multi_scale_deformable_attention_v2 = sampling
        with torch.inference_mode():
            result = model(pixels)
        core.multi_scale_deformable_attention_v2 = sample

        count = model.config.num_queries
        scores = result.enc_outputs_class[0].max(-1).values
        sorted_scores, chosen = scores.sort(descending=True).values, scores.topk(count).indices
        rows = chosen.argsort()
        sure = result.logits[0][rows].sigmoid()
        best = sure.max(-1).values.topk(5).indices
        tensors = {"pixel_values": pixels, "topk_indices": chosen[rows], "topk_scores": scores[chosen[rows]],
                   "reference_points": result.init_reference_points[0][rows].sigmoid(),
                   "logits": result.logits[0][rows], "boxes": result.pred_boxes[0][rows],
                   "decoder_last": result.last_hidden_state[0][rows][:8],
                   "decoder_attention_q0": kept["self_attention"].mean(0)[rows[0]][rows],
                   "sampling_locations_top5": kept["places"][rows][best],
                   "sampling_weights_top5": kept["weights"][rows][best],
                   "corners_top5": result.intermediate_predicted_corners[0, -1][rows][best]}
        for i, map_ in enumerate(kept["backbone"]):
            tensors[f"backbone_{i}"] = some_map(map_[0] if isinstance(map_, (tuple, list)) else map_)
        for i, map_ in enumerate(result.encoder_last_hidden_state):
            tensors[f"hybrid_{i}"] = some_map(map_)
        gaps = sorted_scores[: count - 1] - sorted_scores[1:count]
        info = {"image": f"{picture}.png", "image_size": list(image.size), "input": list(pixels.shape),
                "topk_margin": float(sorted_scores[count - 1] - sorted_scores[count]),
                "topk_smallest_gap": float(gaps.min()), "topk_order": chosen.tolist(), "top5_queries": best.tolist()}
        if attends:
            height, width = kept["aifi"].shape[-2:]
            middle = height // 2 * width + width // 2
            tensors |= {"aifi": some_map(kept["aifi"]), "aifi_attention_center": kept["aifi_attention"].mean(0)[middle]}
            info["feature"] = [height, width]
        # In the middle of the widest gap between the fifth and the sixteenth best score.
        flat = sure.flatten().sort(descending=True).values
        at = 4 + int((flat[4:15] - flat[5:16]).argmax())
        info["threshold"], info["threshold_gap"] = float((flat[at] + flat[at + 1]) / 2), float(flat[at] - flat[at + 1])
        found = processor.post_process_object_detection(result, info["threshold"], [image.size[::-1]])[0]
        info["detections"] = [
            {"score": float(s), "label": int(i), "box": [float(x) for x in b]}
            for s, i, b in zip(found["scores"], found["labels"], found["boxes"])]
        save_golden(out, tensors, info)

    return make


CASES = {
    "show-attend-tell-nano": show_attend_tell_nano, "hybrid-gpt2-nano": hybrid_gpt2_nano,
    "attention-cnn-nano": attention_cnn_nano,
    "vit-odd": vit_odd, "deit-distilled": deit_distilled, "detr-thin": detr_thin, "detr-basic": detr_basic,
    "detr-dc5": detr_dc5, "detr-dc5-basic": detr_dc5_basic, "yolos-mid": yolos_mid, "vit-gpt2-odd": vit_gpt2_odd,
    "blip-odd": blip_odd, "deimv2-nano": deimv2("deimv2-nano", "coffee"),
    "deimv2-lite-nano": deimv2("deimv2-lite-nano", "coffee"), "deimv2-dino-nano": deimv2("deimv2-dino-nano", "astronaut")}

if __name__ == "__main__":
    picture = Image.open(HERE / "images" / "chelsea.png").convert("RGB")
    for case in sys.argv[2:] or CASES:
        folder = pathlib.Path(sys.argv[1]) / case
        folder.mkdir(parents=True, exist_ok=True)
        CASES[case](folder, picture)
        print(case, sum(f.stat().st_size for f in folder.iterdir()), "bytes")
