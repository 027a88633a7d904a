"""Models to and from Hugging Face folders: config.json, preprocessor_config.json and half
precision model.safetensors, under the names that files on the Hub have."""
import json
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

from captions import LENGTH
from classes import NAMES
from vit import Shape, ViT

# ours -> transformers'
BLOCK = {"norm1": "layernorm_before", "out": "attention.output.dense",
         "norm2": "layernorm_after", "up": "intermediate.dense", "down": "output.dense"}
DECODER = {"norm1": "ln_1", "qkv": "attn.c_attn", "out": "attn.c_proj",
           "norm_cross": "ln_cross_attn", "cross_q": "crossattention.q_attn",
           "cross_kv": "crossattention.c_attn", "cross_out": "crossattention.c_proj",
           "norm2": "ln_2", "up": "mlp.c_fc", "down": "mlp.c_proj"}
QKV = ("query", "key", "value")


def vit_tensors(vit, prefix):
    """Views of a ViT's weights by their names in the file: what is written there is learned."""
    shape, own = vit.shape, vit.state_dict()
    embeddings = prefix + "embeddings."
    tensors = {
        embeddings + "cls_token": own["cls"],
        embeddings + "position_embeddings": own["positions"],
        embeddings + "patch_embeddings.projection.weight":
            own["patch.weight"].view(shape.width, 3, shape.patch, shape.patch),
        embeddings + "patch_embeddings.projection.bias": own["patch.bias"]}
    if shape.detection_tokens:
        tensors[embeddings + "detection_tokens"] = own["detection"]
    for kind in ("weight", "bias"):
        for index in range(shape.layers):
            block = f"{prefix}encoder.layer.{index}."
            for part, name in zip(own[f"blocks.{index}.qkv.{kind}"].chunk(3), QKV):
                tensors[f"{block}attention.attention.{name}.{kind}"] = part
            for ours, theirs in BLOCK.items():
                tensors[f"{block}{theirs}.{kind}"] = own[f"blocks.{index}.{ours}.{kind}"]
        tensors[f"{prefix}layernorm.{kind}"] = own[f"norm.{kind}"]
    return tensors


def load_vit(folder, layers, image):
    """A detector's ViT without its detection tokens: the first `layers` blocks, for pictures of
    another size if need be. Blocks beyond the detector's stay as they were initialised."""
    config = json.loads((pathlib.Path(folder) / "config.json").read_text())
    stored = load_file(str(pathlib.Path(folder) / "model.safetensors"))
    old = Shape(config["hidden_size"], config["num_hidden_layers"], config["num_attention_heads"],
                tuple(config["image_size"]), config["patch_size"], config["num_detection_tokens"])
    vit = ViT(Shape(old.width, layers, old.heads, image, old.patch))
    first, grid, _ = stored["vit.embeddings.position_embeddings"].float().split(
        [1, old.patches, old.detection_tokens], 1)
    grid = grid.view(1, *old.grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, vit.shape.grid, mode="bilinear", align_corners=False)
    stored["vit.embeddings.position_embeddings"] = torch.cat(
        [first, grid.flatten(2).transpose(1, 2)], 1)
    fill(vit_tensors(vit, "vit."), stored)
    return vit


def restore(tensors, folder):
    """Puts what an earlier training wrote into the tensors of a model, to go on from there.
    Blocks that the earlier model lacked stay as they were initialised, next to no change."""
    stored = load_file(str(pathlib.Path(folder) / "model.safetensors"))
    if not set(stored) <= set(tensors):
        raise SystemExit(f"{folder}: not a model of this kind and size")
    fill(tensors, stored)


def fill(tensors, stored):
    for name, view in tensors.items():
        if name in stored:
            view.copy_(stored[name])


def detector_tensors(model):
    tensors = vit_tensors(model.vit, "vit.")
    for name, head in (("class_labels_classifier", model.labels), ("bbox_predictor", model.boxes)):
        tensors.update({f"{name}.{part}": value for part, value in head.state_dict().items()})
    return tensors


def classifier_tensors(model):
    head = {f"classifier.{part}": value for part, value in model.head.state_dict().items()}
    return {**vit_tensors(model.vit, "vit."), **head}


def captioner_tensors(model):
    own, width = model.state_dict(), model.vit.shape.width
    tensors = vit_tensors(model.vit, "encoder.")
    # ViTModel has a pooler, which nobody asks
    tensors["encoder.pooler.dense.weight"] = torch.zeros(width, width)
    tensors["encoder.pooler.dense.bias"] = torch.zeros(width)
    tensors["decoder.transformer.wte.weight"] = own["words.weight"]
    tensors["decoder.transformer.wpe.weight"] = own["word_positions.weight"]
    for kind in ("weight", "bias"):
        for index in range(len(model.blocks)):
            for ours, theirs in DECODER.items():
                value = own[f"blocks.{index}.{ours}.{kind}"]
                # GPT-2 stores the matrices of its linear layers transposed
                tensors[f"decoder.transformer.h.{index}.{theirs}.{kind}"] = value.t()
        tensors[f"decoder.transformer.ln_f.{kind}"] = own[f"norm.{kind}"]
    return tensors


def save_detector(model, folder):
    config = dict(architectures=["YolosForObjectDetection"], model_type="yolos",
                  num_detection_tokens=model.vit.shape.detection_tokens,
                  use_mid_position_embeddings=False, auxiliary_loss=False,
                  **vit_config(model.vit.shape), **label_config())
    save(folder, detector_tensors(model), config, model.vit.shape,
         image_processor_type="YolosImageProcessor", do_pad=False, format="coco_detection")


def save_classifier(model, folder):
    config = dict(architectures=["ViTForImageClassification"], model_type="vit",
                  **vit_config(model.vit.shape), **label_config())
    save(folder, classifier_tensors(model), config, model.vit.shape,
         image_processor_type="ViTImageProcessor")


def save_captioner(model, folder, captions):
    shape = model.vit.shape
    ends = dict(bos_token_id=captions.end, eos_token_id=captions.end)
    start = dict(decoder_start_token_id=captions.end, pad_token_id=captions.end, **ends)
    decoder = dict(
        model_type="gpt2", architectures=["GPT2LMHeadModel"], vocab_size=len(captions.tokens),
        n_positions=LENGTH, n_ctx=LENGTH, n_embd=shape.width, n_layer=len(model.blocks),
        n_head=shape.heads, n_inner=None, activation_function="gelu_new",
        layer_norm_epsilon=1e-5, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        add_cross_attention=True, is_decoder=True, tie_word_embeddings=True, **ends)
    config = dict(architectures=["VisionEncoderDecoderModel"], model_type="vision-encoder-decoder",
                  is_encoder_decoder=True, tie_word_embeddings=True, torch_dtype="float16", **start,
                  encoder=dict(model_type="vit", architectures=["ViTModel"], **vit_config(shape)),
                  decoder=decoder)
    save(folder, captioner_tensors(model), config, shape, image_processor_type="ViTImageProcessor")
    write_json(folder, "generation_config.json", dict(max_length=LENGTH, num_beams=1, **start))
    captions.save(folder)


def vit_config(shape):
    return dict(hidden_size=shape.width, num_hidden_layers=shape.layers,
                num_attention_heads=shape.heads, intermediate_size=4 * shape.width,
                hidden_act="gelu", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
                initializer_range=0.02, layer_norm_eps=1e-6, image_size=list(shape.image),
                patch_size=shape.patch, num_channels=3, qkv_bias=True, torch_dtype="float16")


def label_config():
    return dict(id2label={str(index): name for index, name in enumerate(NAMES)},
                label2id={name: index for index, name in enumerate(NAMES)})


def save(folder, tensors, config, shape, **processor):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    half = {name: value.detach().cpu().half().contiguous().clone()
            for name, value in tensors.items()}
    save_file(half, str(folder / "model.safetensors"), metadata={"format": "pt"})
    write_json(folder, "config.json", config)
    write_json(folder, "preprocessor_config.json", dict(
        do_resize=True, size=dict(height=shape.image[0], width=shape.image[1]), resample=2,
        do_rescale=True, rescale_factor=1 / 255, do_normalize=True, image_mean=[0.5] * 3,
        image_std=[0.5] * 3, **processor))
    print(f"{folder}: {(folder / 'model.safetensors').stat().st_size / 1e6:.2f} MB", flush=True)


def write_json(folder, name, value):
    (pathlib.Path(folder) / name).write_text(json.dumps(value, indent=1) + "\n")
