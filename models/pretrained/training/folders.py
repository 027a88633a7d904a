"""Models to and from Hugging Face folders: config.json, preprocessor_config.json and half
precision model.safetensors, under the names that files on the Hub have."""
import json
import pathlib
import re

import torch
from safetensors.torch import load_file, save_file

from classes import NAMES
from rt_detr import RtDetr, RtDetrShape
from vit import Shape, ViT, resized

# ours -> transformers'
BLOCK = {"norm1": "layernorm_before", "out": "attention.output.dense",
         "norm2": "layernorm_after", "up": "intermediate.dense", "down": "output.dense"}
DECODER = {"norm1": "ln_1", "qkv": "attn.c_attn", "out": "attn.c_proj",
           "norm_cross": "ln_cross_attn", "cross_q": "crossattention.q_attn",
           "cross_kv": "crossattention.c_attn", "cross_out": "crossattention.c_proj",
           "norm2": "ln_2", "up": "mlp.c_fc", "down": "mlp.c_proj"}
QKV = ("query", "key", "value")
DETR_ENCODER = {"self_attention": "self_attn", "norm1": "self_attn_layer_norm", "up": "fc1",
                "down": "fc2", "norm2": "final_layer_norm"}
DETR_DECODER = {"self_attention": "self_attn", "norm1": "self_attn_layer_norm",
                "cross_attention": "encoder_attn", "norm2": "encoder_attn_layer_norm",
                "up": "fc1", "down": "fc2", "norm3": "final_layer_norm"}
DETR_ATTENTION = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "out": "out_proj"}
# patterns of ours -> transformers' in their order
RT_DETR = tuple((re.compile(ours), theirs) for ours, theirs in (
    (r"^backbone\.stem\.", "backbone.model.embedder.embedder."),
    (r"^backbone\.blocks\.(\d+)\.(\d+)\.", r"backbone.model.encoder.stages.\1.layers.\2."),
    (r"(stages\.[1-9]\d*\.layers\.0\.shortcut)\.", r"\1.1."),       # behind its mean of four
    (r"^(encoder\.)?project\.(\d+)\.convolution", r"\1input_proj.\2.0"),
    (r"^(encoder\.)?project\.(\d+)\.normalization", r"\1input_proj.\2.1"),
    (r"^encoder\.input_proj", "encoder_input_proj"),
    (r"^input_proj", "decoder_input_proj"),
    (r"^encoder\.attention_blocks", "encoder.encoder.0.layers"),
    (r"^encoder\.lateral_blocks", "encoder.lateral_convs"),
    (r"^encoder\.halving_blocks", "encoder.downsample_convs"),
    (r"^encoder\.down_blocks", "encoder.fpn_blocks"),
    (r"^encoder\.up_blocks", "encoder.pan_blocks"),
    (r"^(encoder\.\w+\.\d+)\.inputs\.0", r"\1.conv1"),
    (r"^(encoder\.\w+\.\d+)\.inputs\.1", r"\1.conv2"),
    (r"^(encoder\.\w+\.\d+)\.out\.", r"\1.conv3."),
    (r"(bottlenecks\.\d+)\.0", r"\1.conv1"), (r"(bottlenecks\.\d+)\.1", r"\1.conv2"),
    (r"^(encoder\..*)\.convolution", r"\1.conv"), (r"^(encoder\..*)\.normalization", r"\1.norm"),
    (r"^first\.0\.output", "enc_output.0"), (r"^first\.0\.norm", "enc_output.1"),
    (r"^first\.0\.labels", "enc_score_head"), (r"^first\.0\.boxes", "enc_bbox_head"),
    (r"^blocks", "decoder.layers"), (r"^labels", "decoder.class_embed"),
    (r"^boxes", "decoder.bbox_embed"), (r"^places", "decoder.query_pos_head.layers"),
    (r"self_attention\.(\w)\.", r"self_attn.\1_proj."),
    (r"self_attention\.out", "self_attn.out_proj"),
    (r"deformable\.offsets", "encoder_attn.sampling_offsets"),
    (r"deformable\.point_weights", "encoder_attn.attention_weights"),
    (r"deformable\.value", "encoder_attn.value_proj"),
    (r"deformable\.out", "encoder_attn.output_proj"),
    (r"\.up\.", ".fc1."), (r"\.down\.", ".fc2."), (r"\.norm1\.", ".self_attn_layer_norm."),
    (r"(decoder.*)\.norm2\.", r"\1.encoder_attn_layer_norm."),
    (r"\.norm[23]\.", ".final_layer_norm.")))
ONE, SEVERAL = "single_label_classification", "multi_label_classification"
POSITIONS = "vit.embeddings.position_embeddings"


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
            tensors.update(block_tensors(own, f"blocks.{index}.", f"{prefix}encoder.layer.{index}.",
                                         kind))
        tensors[f"{prefix}layernorm.{kind}"] = own[f"norm.{kind}"]
    return tensors


def block_tensors(own, ours, theirs, kind):
    """Weights or biases of one block of a ViT."""
    parts = zip(own[f"{ours}qkv.{kind}"].chunk(3), QKV)
    tensors = {f"{theirs}attention.attention.{name}.{kind}": part for part, name in parts}
    return {**tensors, **{f"{theirs}{name}.{kind}": own[f"{ours}{key}.{kind}"]
                          for key, name in BLOCK.items()}}


def load_vit(folder, layers, image):
    """A detector's ViT without its detection tokens: the first `layers` blocks, for pictures of
    another size if need be. Blocks beyond the detector's stay as they were initialised."""
    config = json.loads((pathlib.Path(folder) / "config.json").read_text())
    stored = load_file(str(pathlib.Path(folder) / "model.safetensors"))
    old = Shape(config["hidden_size"], config["num_hidden_layers"], config["num_attention_heads"],
                tuple(config["image_size"]), config["patch_size"], config["num_detection_tokens"])
    vit = ViT(Shape(old.width, layers, old.heads, image, old.patch))
    stored[POSITIONS] = resized(stored[POSITIONS], old.grid, vit.shape.grid)
    fill(vit_tensors(vit, "vit."), stored)
    return vit


def load_eye(folder):
    """A classifier's ViT."""
    config = json.loads((pathlib.Path(folder) / "config.json").read_text())
    vit = ViT(Shape(config["hidden_size"], config["num_hidden_layers"],
                    config["num_attention_heads"], tuple(config["image_size"]),
                    config["patch_size"]))
    fill(vit_tensors(vit, "vit."), load_file(str(pathlib.Path(folder) / "model.safetensors")))
    return vit


def restore(tensors, folder, grid=None):
    """Puts what an earlier training wrote into the tensors of a model, to go on from there.
    Blocks that the earlier model lacked stay as they were initialised, next to no change; the
    positions of a captioner that saw smaller pictures are spread over more."""
    stored = load_file(str(pathlib.Path(folder) / "model.safetensors"))
    config = json.loads((pathlib.Path(folder) / "config.json").read_text()).get("encoder")
    if config:
        here = "encoder.embeddings.position_embeddings"
        old = [side // config["patch_size"] for side in config["image_size"]]
        stored[here] = resized(stored[here], old, grid)
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


def detr_tensors(model):
    own = model.state_dict()
    tensors = {f"model.{theirs}": own[ours] for ours, theirs in (
        ("project.weight", "input_projection.weight"), ("project.bias", "input_projection.bias"),
        ("decoder.norm.weight", "decoder.layernorm.weight"),
        ("decoder.norm.bias", "decoder.layernorm.bias"))}
    tensors["model.query_position_embeddings.weight"] = own["queries"][0]
    for name, head in (("class_labels_classifier", model.labels), ("bbox_predictor", model.boxes)):
        tensors.update({f"{name}.{part}": value for part, value in head.state_dict().items()})
    for part, names in (("encoder", DETR_ENCODER), ("decoder", DETR_DECODER)):
        for key, value in own.items():
            if key.startswith(f"{part}.blocks."):
                _, _, index, ours, *rest = key.split(".")
                rest = [DETR_ATTENTION.get(word, word) for word in rest]
                tensors[".".join([f"model.{part}.layers", index, names[ours], *rest])] = value
    return {**tensors,
            **resnet_tensors(model.backbone, "model.backbone.conv_encoder.model.")}


def rt_detr_tensors(model):
    """Of the first group of queries, and of all layers."""
    tensors, first = {}, "first.0."
    for key, value in model.state_dict().items():
        if key.endswith("num_batches_tracked") or key.startswith("cell_"):
            continue
        if key.startswith("first.") and not key.startswith(first):
            continue
        tensors["model." + theirs_of(key)] = value
    return tensors


def theirs_of(key):
    """RT-DETR's name in the file for one of ours."""
    for ours, theirs in RT_DETR:
        key = re.sub(ours, theirs, key)
    return key


def load_rt_detr(folder):
    """A detector as save_rt_detr wrote it, of our usual shape."""
    model = RtDetr(RtDetrShape())
    fill(rt_detr_tensors(model), load_file(str(pathlib.Path(folder) / "model.safetensors")))
    return model


def resnet_tensors(resnet, prefix):
    """By the names of transformers' ResNet."""
    depths, tensors = resnet.shape.depths, {}
    places = [(stage, index) for stage, depth in enumerate(depths) for index in range(depth)]
    for key, value in resnet.state_dict().items():
        if key.endswith("num_batches_tracked"):
            continue
        part, *rest = key.split(".")
        if part == "blocks":
            stage, index = places[int(rest[0])]
            rest = [f"encoder.stages.{stage}.layers.{index}", *rest[1:]]
        else:
            rest = ["embedder.embedder", *rest]
        tensors[prefix + ".".join(rest)] = value
    return tensors


def without_norms(tensors, eps=1e-5):
    """Batch norms become part of the convolutions before them, which get a bias."""
    folded = {}
    for name, weight in tensors.items():
        if not name.endswith("convolution.weight"):
            continue
        norm = name.replace("convolution.weight", "normalization.")
        part = lambda key: tensors[norm + key].float()
        scale = part("weight") / (part("running_var") + eps).sqrt()
        folded[name] = weight.float() * scale.view(-1, 1, 1, 1)
        folded[name.replace("weight", "bias")] = part("bias") - part("running_mean") * scale
    return folded


def classifier_tensors(model):
    head = {f"classifier.{part}": value for part, value in model.head.state_dict().items()}
    return {**vit_tensors(model.vit, "vit."), **head}


def captioner_tensors(model):
    width = model.vit.shape.width
    tensors = vit_tensors(model.vit, "encoder.")
    # ViTModel has a pooler, which nobody asks
    tensors["encoder.pooler.dense.weight"] = torch.zeros(width, width)
    tensors["encoder.pooler.dense.bias"] = torch.zeros(width)
    return {**tensors, **gpt2_tensors(model)}


def gpt2_tensors(model):
    own = model.state_dict()
    tensors = {"decoder.transformer.wte.weight": own["words.weight"],
               "decoder.transformer.wpe.weight": own["word_positions.weight"]}
    for kind in ("weight", "bias"):
        for index in range(len(model.blocks)):
            for ours, theirs in DECODER.items():
                value = own[f"blocks.{index}.{ours}.{kind}"]
                # GPT-2 stores the matrices of its linear layers transposed
                tensors[f"decoder.transformer.h.{index}.{theirs}.{kind}"] = value.t()
        tensors[f"decoder.transformer.ln_f.{kind}"] = own[f"norm.{kind}"]
    return tensors


def hybrid_captioner_tensors(model):
    """RT-DETR's names for the eye, ViT's for the blocks that look over it, GPT-2's for the rest."""
    own = model.state_dict()
    tensors = {"encoder." + theirs_of(key): value for key, value in model.eye.state_dict().items()
               if not key.endswith("num_batches_tracked")}
    tensors["encoder.position_embeddings"] = own["positions"]
    for kind in ("weight", "bias"):
        tensors[f"enc_to_dec_proj.{kind}"] = own[f"project.{kind}"]
        tensors[f"encoder.layernorm.{kind}"] = own[f"look_norm.{kind}"]
        for index in range(len(model.look_blocks)):
            tensors.update(block_tensors(own, f"look_blocks.{index}.", f"encoder.layer.{index}.",
                                         kind))
    return {**tensors, **gpt2_tensors(model)}


def show_attend_tell_tensors(model):
    tensors = {}
    for key, value in model.state_dict().items():
        if key.startswith("backbone."):
            if not key.endswith("num_batches_tracked"):
                tensors[theirs_of(key)] = value
        elif not key.startswith("patch_labels."):
            tensors["decoder." + key] = value
    return tensors


def save_detector(model, folder, names=NAMES, sure_above=0.5):
    config = dict(architectures=["YolosForObjectDetection"], model_type="yolos",
                  num_detection_tokens=model.vit.shape.detection_tokens,
                  use_mid_position_embeddings=False, auxiliary_loss=False, sure_above=sure_above,
                  **vit_config(model.vit.shape), **label_config(names))
    save(folder, detector_tensors(model), config, model.vit.shape.image,
         image_processor_type="YolosImageProcessor", do_pad=False, format="coco_detection")


def save_detr(model, folder, names):
    shape, backbone = model.shape, model.shape.backbone
    last = f"stage{len(backbone.channels)}"
    config = dict(
        architectures=["DetrForObjectDetection"], model_type="detr", use_timm_backbone=False,
        backbone=None, use_pretrained_backbone=False, torch_dtype="float16", num_channels=3,
        backbone_config=dict(**resnet_config(backbone), out_features=[last]),
        d_model=shape.width, num_queries=shape.queries, activation_function="relu",
        encoder_layers=shape.encoder_layers, encoder_ffn_dim=shape.inner,
        encoder_attention_heads=shape.heads, decoder_layers=shape.decoder_layers,
        decoder_ffn_dim=shape.inner, decoder_attention_heads=shape.heads, dropout=0.0,
        attention_dropout=0.0, activation_dropout=0.0, auxiliary_loss=False,
        position_embedding_type="sine", is_encoder_decoder=True, **label_config(names))
    save(folder, detr_tensors(model), config, (shape.side, shape.side),
         image_processor_type="DetrImageProcessor", do_pad=False, format="coco_detection")


def save_rt_detr(model, folder, names, sure_above):
    config = dict(architectures=["RTDetrForObjectDetection"], **rt_detr_config(model.shape),
                  sure_above=round(sure_above, 2), **label_config(names))
    side = model.shape.side
    save(folder, rt_detr_tensors(model), config, (side, side),
         image_processor_type="RTDetrImageProcessor", do_pad=False, format="coco_detection")


def rt_detr_config(shape):
    width = shape.width
    return dict(
        model_type="rt_detr", torch_dtype="float16", backbone_config=resnet_d_config(shape),
        use_timm_backbone=False, backbone=None, use_pretrained_backbone=False,
        freeze_backbone_batch_norms=True, d_model=width, num_queries=shape.queries,
        encoder_hidden_dim=width, encoder_in_channels=list(shape.channels[1:]),
        feat_strides=[8, 16, 32], encoder_layers=1, encoder_ffn_dim=shape.inner,
        encoder_attention_heads=shape.heads, encode_proj_layers=[2],
        encoder_activation_function="relu", activation_function="silu", normalize_before=False,
        hidden_expansion=shape.expansion, eval_size=None, positional_encoding_temperature=10000,
        decoder_in_channels=[width] * 3, num_feature_levels=3, decoder_ffn_dim=shape.inner,
        decoder_n_points=shape.points, decoder_layers=shape.decoder_layers,
        decoder_attention_heads=shape.heads, decoder_activation_function="relu",
        learn_initial_query=False, anchor_image_size=None, num_denoising=0, with_box_refine=True,
        dropout=0.0, attention_dropout=0.0, activation_dropout=0.0, layer_norm_eps=1e-5,
        batch_norm_eps=1e-5, is_encoder_decoder=True)


def resnet_d_config(shape):
    """Its map of every stage but the first is asked for."""
    stages = range(2, len(shape.channels) + 1)
    return dict(
        model_type="rt_detr_resnet", num_channels=3, embedding_size=shape.stem,
        hidden_sizes=list(shape.channels), depths=list(shape.depths), layer_type="basic",
        hidden_act="relu", downsample_in_first_stage=False, downsample_in_bottleneck=False,
        out_features=[f"stage{stage}" for stage in stages], out_indices=list(stages))


def resnet_config(shape):
    return dict(
        model_type="resnet", num_channels=3, embedding_size=shape.stem,
        hidden_sizes=list(shape.channels), depths=list(shape.depths),
        layer_type="bottleneck" if shape.bottleneck else "basic", hidden_act="relu",
        downsample_in_first_stage=False)


def save_attention_cnn(model, folder, names, sure_above):
    config = dict(architectures=["AttentionCNN"], model_type="attention_cnn",
                  problem_type=SEVERAL,
                  torch_dtype="float16", image_size=model.side, attention_size=model.inner,
                  output_stride=model.shape.output_stride,
                  backbone_config=dict(**resnet_config(model.shape), folded_norms=True),
                  sure_above=round(sure_above, 2), **label_config(names))
    tensors = without_norms(resnet_tensors(model.backbone, "backbone."))
    for name, part in (("attention", model.attention), ("classifier", model.head)):
        tensors.update({f"{name}.{key}": value for key, value in part.state_dict().items()})
    save(folder, tensors, config, (model.side, model.side),
         image_processor_type="ViTImageProcessor")


def save_classifier(model, folder, names=NAMES, sure_above=0.5, problem_type=ONE):
    config = dict(architectures=["ViTForImageClassification"], model_type="vit",
                  problem_type=problem_type, sure_above=round(sure_above, 2),
                  **vit_config(model.vit.shape), **label_config(names))
    save(folder, classifier_tensors(model), config, model.vit.shape.image,
         image_processor_type="ViTImageProcessor")


def save_captioner(model, folder, captions, **generation):
    shape = model.vit.shape
    encoder = dict(model_type="vit", architectures=["ViTModel"], **vit_config(shape))
    config = encoder_decoder_config(encoder, captions, model.length, len(model.blocks),
                                    shape.width, shape.heads)
    save_speaker(folder, captions, model.length, captioner_tensors(model), config, shape.image,
                 generation)


def save_hybrid_captioner(model, folder, captions, **generation):
    """Its encoder is an RT-DETR's up to the map of stride 16, and `look` the blocks over it."""
    shape, width = model.eye.shape, model.width
    look = dict(hidden_size=width, num_hidden_layers=len(model.look_blocks),
                num_attention_heads=model.heads, intermediate_size=4 * width, hidden_act="gelu",
                layer_norm_eps=1e-6)
    encoder = dict(**rt_detr_config(shape), image_size=shape.side, out_stride=16, look=look)
    config = encoder_decoder_config(encoder, captions, model.length, len(model.blocks), width,
                                    model.heads)
    save_speaker(folder, captions, model.length, hybrid_captioner_tensors(model), config,
                 (shape.side, shape.side), generation)


def save_show_attend_tell(model, folder, captions, **generation):
    config = dict(
        architectures=["ShowAttendTell"], model_type="show_attend_tell", torch_dtype="float16",
        backbone_config=resnet_d_config(model.shape), image_size=model.shape.side,
        vocab_size=len(captions.tokens),
        embedding_size=model.words.embedding_dim, hidden_size=model.lstm.hidden_size,
        attention_size=model.attend_place.out_features, **start_ids(captions))
    side = model.shape.side
    save_speaker(folder, captions, model.length, show_attend_tell_tensors(model), config,
                 (side, side), generation)


def encoder_decoder_config(encoder, captions, length, layers, width, heads):
    start = start_ids(captions)
    ends = {key: start[key] for key in ("bos_token_id", "eos_token_id")}
    decoder = dict(
        model_type="gpt2", architectures=["GPT2LMHeadModel"], vocab_size=len(captions.tokens),
        n_positions=length, n_ctx=length, n_embd=width, n_layer=layers, n_head=heads, n_inner=None,
        activation_function="gelu_new", layer_norm_epsilon=1e-5, resid_pdrop=0.0, embd_pdrop=0.0,
        attn_pdrop=0.0, add_cross_attention=True, is_decoder=True, tie_word_embeddings=True,
        **ends)
    return dict(architectures=["VisionEncoderDecoderModel"], model_type="vision-encoder-decoder",
                is_encoder_decoder=True, tie_word_embeddings=True, torch_dtype="float16", **start,
                encoder=encoder, decoder=decoder)


def start_ids(captions):
    return {f"{name}_token_id": captions.end for name in ("decoder_start", "pad", "bos", "eos")}


def save_speaker(folder, captions, length, tensors, config, image, generation):
    save(folder, tensors, config, image, image_processor_type="ViTImageProcessor")
    write_json(folder, "generation_config.json",
               dict(max_length=length, **generation, **start_ids(captions)))
    captions.save(folder, length)


def vit_config(shape):
    return dict(hidden_size=shape.width, num_hidden_layers=shape.layers,
                num_attention_heads=shape.heads, intermediate_size=4 * shape.width,
                hidden_act="gelu", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
                initializer_range=0.02, layer_norm_eps=1e-6, image_size=list(shape.image),
                patch_size=shape.patch, num_channels=3, qkv_bias=True, torch_dtype="float16")


def label_config(names):
    return dict(id2label={str(index): name for index, name in enumerate(names)},
                label2id={name: index for index, name in enumerate(names)})


def save(folder, tensors, config, image, **processor):
    """`image` is the input's height and width."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    half = {name: value.detach().cpu().half().contiguous().clone()
            for name, value in tensors.items()}
    save_file(half, str(folder / "model.safetensors"), metadata={"format": "pt"})
    write_json(folder, "config.json", config)
    write_json(folder, "preprocessor_config.json", dict(
        do_resize=True, size=dict(height=image[0], width=image[1]), resample=2,
        do_rescale=True, rescale_factor=1 / 255, do_normalize=True, image_mean=[0.5] * 3,
        image_std=[0.5] * 3, **processor))
    print(f"{folder}: {(folder / 'model.safetensors').stat().st_size / 1e6:.2f} MB", flush=True)


def write_json(folder, name, value):
    (pathlib.Path(folder) / name).write_text(json.dumps(value, indent=1) + "\n")
