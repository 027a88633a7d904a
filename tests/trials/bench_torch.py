#!/usr/bin/env python3
"""The models of `saccade bench` in PyTorch, beside what that measured on the same machine.

    bench_torch.py --lab build/app/saccade-lab [--model NAME]... [--way WAY]... [--batch N] [--mode MODE]
    bench_torch.py --report bench.json ...
    bench_torch.py --lab build/app/saccade-lab --precision fp32 --no-coopmat
    bench_torch.py --loop FOLDER

Each model is timed in half precision, or in single with TF32 switched off: eager, replayed as a CUDA graph, and through torch.compile;
captioners, whose loop over words is transformers' own, only eager. --lab runs saccade-lab for the
same models first, --report reads what `bench --json` printed. Weights are random, no file is
needed. Needs torch and transformers, and a CUDA device; --cpu times eager PyTorch on the processor,
in fp32, to try the script out.
--loop runs a detector or a classifier in a loop of Python over frames of 1280x720, one at a time, by `import saccade`
and by transformers' pipeline."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

try:
    import torch
    import transformers
except ImportError as error:
    sys.exit(f"bench_torch: {error}; it needs torch and transformers")

WORDS = 16
WAYS = ("eager", "graph", "compile")


def vit(hidden, layers, heads, image):
    config = transformers.ViTConfig(
        hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=4 * hidden, image_size=image, num_labels=1000)
    return transformers.ViTForImageClassification(config), (image, image)


def yolos(hidden, heads, trained, mid_positions, size):
    config = transformers.YolosConfig(
        hidden_size=hidden, num_attention_heads=heads, intermediate_size=4 * hidden,
        image_size=trained, use_mid_position_embeddings=mid_positions, num_labels=91)
    return transformers.YolosForObjectDetection(config), size


def detr():
    backbone = transformers.ResNetConfig(depths=[3, 4, 6, 3], out_features=["stage4"])
    config = transformers.DetrConfig(backbone_config=backbone, num_labels=91)
    return transformers.DetrForObjectDetection(config), (800, 1066)


def vit_gpt2():
    decoder = transformers.GPT2Config(is_decoder=True, add_cross_attention=True)
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
        transformers.ViTConfig(), decoder)
    model = transformers.VisionEncoderDecoderModel(config)
    start = decoder.bos_token_id
    model.generation_config = transformers.GenerationConfig(
        decoder_start_token_id=start, pad_token_id=start)
    return model, (224, 224)


def blip():
    return transformers.BlipForConditionalGeneration(transformers.BlipConfig()), (384, 384)


def rt_detr():
    return transformers.RTDetrForObjectDetection(transformers.RTDetrConfig(num_labels=80)), SQUARE


def d_fine():
    backbone = transformers.HGNetV2Config(
        stem_channels=[3, 16, 16], stage_in_channels=[16, 64, 256, 512],
        stage_mid_channels=[16, 32, 64, 128], stage_out_channels=[64, 256, 512, 1024],
        hidden_sizes=[64, 256, 512, 1024], stage_num_blocks=[1, 1, 2, 1], stage_numb_of_layers=[3, 3, 3, 3],
        use_learnable_affine_block=True, out_indices=[2, 3, 4])
    config = transformers.DFineConfig(
        backbone_config=backbone, encoder_in_channels=[256, 512, 1024], hidden_expansion=0.5,
        depth_mult=0.34, decoder_layers=3, decoder_n_points=[3, 6, 3], num_labels=80)
    return transformers.DFineForObjectDetection(config), SQUARE


def rf_detr():
    backbone = transformers.AutoConfig.for_model(
        "rf_detr_dinov2", hidden_size=384, num_attention_heads=6, image_size=384, patch_size=16,
        num_windows=2, out_indices=[3, 6, 9, 12])
    config = transformers.AutoConfig.for_model(
        "rf_detr", backbone_config=backbone, decoder_layers=2, decoder_n_points=2, num_labels=91)
    return transformers.AutoModelForObjectDetection.from_config(config), (384, 384)


def swin():
    config = transformers.SwinConfig(num_labels=1000)
    return transformers.SwinForImageClassification(config), (224, 224)


def dinov2(hidden, heads):
    config = transformers.Dinov2Config(hidden_size=hidden, num_attention_heads=heads,
                                       image_size=518)
    return transformers.Dinov2Model(config), (518, 518)


SQUARE = (640, 640)
# By the names of `saccade bench`, with the size of a preprocessed frame of 640x480.
MODELS = {
    "deit-tiny-patch16-224": lambda: vit(192, 12, 3, 224),
    "deit-small-patch16-224": lambda: vit(384, 12, 6, 224),
    "vit-base-patch16-224": lambda: vit(768, 12, 12, 224),
    "vit-large-patch16-384": lambda: vit(1024, 24, 16, 384),
    "detr-resnet-50": detr,
    "rtdetr_r50vd": rt_detr,
    "dfine-small-coco": d_fine,
    "rf-detr-nano": rf_detr,
    "swin-tiny-patch4-window7-224": swin,
    "dinov2-small-518": lambda: dinov2(384, 6),
    "dinov2-base-518": lambda: dinov2(768, 12),
    "yolos-tiny": lambda: yolos(192, 3, [800, 1333], False, (512, 672)),
    "yolos-small": lambda: yolos(384, 6, [512, 864], True, (800, 1056)),
    "vit-gpt2-image-captioning": vit_gpt2,
    "blip-image-captioning-base": blip,
}
CAPTIONERS = ("vit-gpt2-image-captioning", "blip-image-captioning-base")


def forward(name, model, pixels):
    """What is timed: pixels to logits, or to the ids of a caption."""
    if name in CAPTIONERS:
        return lambda: model.generate(pixel_values=pixels, do_sample=False, num_beams=1,
                                      min_new_tokens=WORDS, max_new_tokens=WORDS)
    return lambda: model(pixel_values=pixels)


def graph_of(run):
    """The same work, captured once and replayed."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def median_ms(run, cuda, seconds):
    def once():
        if not cuda:
            begin = time.perf_counter()
            run()
            return 1e3 * (time.perf_counter() - begin)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    for _ in range(3):
        once()
    times, begin = [], time.perf_counter()
    while len(times) < 3 or (len(times) < 200 and time.perf_counter() - begin < seconds):
        times.append(once())
    return statistics.median(times)


def dtype_of(arguments):
    return torch.float16 if arguments.precision == "fp16" else torch.float32


def time_model(name, arguments):
    """Milliseconds by way of running; None where that way fails, with a line on stderr."""
    cuda = not arguments.cpu
    torch.manual_seed(1)
    model, (height, width) = MODELS[name]()
    device = "cuda" if cuda else "cpu"
    dtype = dtype_of(arguments)
    model = model.to(device, dtype).eval()
    pixels = torch.randn(arguments.batch, 3, height, width, device=device, dtype=dtype)
    run = forward(name, model, pixels)
    ways = {"eager": lambda: run}
    if cuda and name not in CAPTIONERS:
        ways["graph"] = lambda: graph_of(run)
        ways["compile"] = lambda: forward(name, torch.compile(model, mode=arguments.mode), pixels)
    result = {}
    for way, prepare in ways.items():
        if way not in arguments.way:
            continue
        try:
            with torch.inference_mode():
                result[way] = median_ms(prepare(), cuda, arguments.seconds)
        except Exception as error:
            reason = (str(error).splitlines() or [""])[0]
            print(f"bench_torch: {name}, {way}: {type(error).__name__}: {reason}", file=sys.stderr)
            result[way] = None
    return result


def frames_a_second(run, frames, seconds):
    """After some frames, which warm it up."""
    for frame in frames[:20]:
        run(frame)
    began, count = time.perf_counter(), 0
    while (passed := time.perf_counter() - began) < seconds:
        run(frames[count % len(frames)])
        count += 1
    return count / passed


def compare_loops(arguments):
    import numpy
    import saccade
    from PIL import Image

    sample = pathlib.Path(__file__).resolve().parents[2] / "models/pretrained/sample.jpg"
    picture = numpy.asarray(Image.open(sample).convert("RGB").resize((1280, 720)))
    frames = [numpy.roll(picture, 8 * i, 1) for i in range(60)]
    ours = saccade.open(arguments.loop, precision=arguments.precision)
    task = {"detect": "object-detection", "classify": "image-classification"}[ours.task]
    theirs = transformers.pipeline(task, arguments.loop, device="cpu" if arguments.cpu else 0, dtype=dtype_of(arguments))
    print(f"{arguments.loop}, {arguments.precision}, one frame of 1280x720 at a time: "
          f"saccade {frames_a_second(ours, frames, arguments.seconds):.1f} frames/s, transformers' pipeline "
          f"{frames_a_second(lambda frame: theirs(Image.fromarray(frame)), frames, arguments.seconds):.1f}")


def column(value, width):
    return f"{value:>{width}.3f}" if value else f"{'-':>{width}}"


def saccade_report(arguments):
    if arguments.lab:
        words = [arguments.lab, "bench", "--json", "--batch", str(arguments.batch)]
        words += [] if arguments.cpu else ["--precision", arguments.precision]
        words += ["--no-coopmat"] if arguments.no_coopmat else []
        for name in arguments.model:
            words += ["--model", name]
        text = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    elif arguments.report:
        with open(arguments.report) as file:
            text = file.read()
    else:
        return {}
    report = json.loads(text)
    device, driver, precision, batch = (
        report[key] for key in ("device", "driver", "precision", "batch"))
    print(f"saccade: {device}, {driver}, {precision}, batch {batch}")
    if batch != arguments.batch:
        sys.exit(f"bench_torch: the report is of batch {batch}: give it with --batch")
    return {entry["model"]: entry["median_ms"] for entry in report["models"]}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--lab", metavar="PROGRAM", help="saccade-lab, to be run first")
    source.add_argument("--report", metavar="FILE", help="what `bench --json` printed")
    source.add_argument("--loop", metavar="FOLDER", help="a detector or classifier, for loops of Python")
    parser.add_argument("--model", action="append", choices=MODELS, metavar="NAME",
                        help="default: all")
    parser.add_argument("--way", action="append", choices=WAYS,
                        help="of running PyTorch; default: all (compile takes minutes a model)")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2, help="of each measurement")
    parser.add_argument("--mode", default="max-autotune", help="of torch.compile")
    parser.add_argument("--precision", choices=("fp16", "fp32"), default="fp16",
                        help="fp32 is without TF32")
    parser.add_argument("--no-coopmat", action="store_true",
                        help="Saccade as on a GPU without cooperative matrices")
    parser.add_argument("--cpu", action="store_true", help="eager alone, on the processor")
    arguments = parser.parse_args()
    arguments.model = arguments.model or list(MODELS)
    arguments.way = arguments.way or WAYS
    if arguments.cpu:
        arguments.precision = "fp32"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    if not arguments.cpu and not torch.cuda.is_available():
        sys.exit("bench_torch: PyTorch sees no CUDA device; "
                 "--cpu tries the script out without one")
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    if arguments.loop:
        compare_loops(arguments)
        return

    try:
        ours = saccade_report(arguments)
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"bench_torch: no report of saccade's: {error}")
    where = "CPU" if arguments.cpu else torch.cuda.get_device_name()
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, {where}, "
          f"{arguments.precision}, batch {arguments.batch}; "
          f"torch.compile: {arguments.mode}")
    print(f"{'median ms':<28}{'saccade':>10}" + "".join(f"{way:>10}" for way in WAYS)
          + "".join(f"{way + '/ours':>14}" for way in WAYS))
    for name in arguments.model:
        mine, theirs = ours.get(name), time_model(name, arguments)
        times = [theirs.get(way) for way in WAYS]
        ratios = [ms / mine if ms and mine else None for ms in times]
        print(f"{name:<28}{column(mine, 10)}" + "".join(column(ms, 10) for ms in times)
              + "".join(column(ratio, 14) for ratio in ratios), flush=True)


if __name__ == "__main__":
    main()
