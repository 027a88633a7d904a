"""Trains a detector of COCO's 80 classes on photographs and writes its folder.

    python3 train_photo_detector.py --packed packed --unpacked unpacked

    --model yolos trains a plain ViT instead of RT-DETR, --width 224 --layers 9 --tokens 64 one that
    train_photo_captioner.py starts from; --model detr trains the DETR of 2020. --start also takes the
    folder of an RT-DETR that was trained before.
"""
import copy
import pathlib

import torch

import detector as losses
import detr
import options as common
import photos
import resnet
import rt_detr
import vit
from detector import Detector
from folders import load_rt_detr, save_detector, save_detr, save_rt_detr
from metrics import Detections
from scenes import to_input
from trainer import train

CLASSES = 80
LARGE = 1 / 3                       # of the picture's side
COMMON = ("person", "cat", "dog", "car", "bus", "train")


def make_model(options):
    if options.model == "rt_detr":
        return rt_detr.RtDetr(rt_detr.RtDetrShape(groups=options.groups, side=options.side,
                                                  classes=CLASSES))
    if options.model == "detr":
        backbone = resnet.ResNetShape(options.stem, tuple(options.channels), tuple(options.depths),
                                      options.bottleneck)
        return detr.Detr(detr.DetrShape(
            backbone, inner=options.inner, encoder_layers=options.encoder_layers,
            decoder_layers=options.decoder_layers, queries=options.queries, groups=options.groups,
            classes=CLASSES, side=options.side, quality=options.quality))
    shape = vit.Shape(width=options.width, layers=options.layers, heads=options.width // 32,
                      image=(options.side, options.side), patch=16,
                      detection_tokens=options.tokens)
    return Detector(shape, CLASSES)


def cells_of(model):
    """Where the cells lie that say what covers them."""
    if not isinstance(model, Detector):
        return model.cells()
    rows, columns = model.vit.shape.grid
    y, x = torch.meshgrid((torch.arange(rows) + 0.5) / rows,
                          (torch.arange(columns) + 0.5) / columns, indexing="ij")
    return torch.stack([x, y], -1).view(-1, 2)


@torch.no_grad()
def measure(answer, tests, names):
    """answer(pictures in bytes) -> logits, boxes; over batches of held-out pictures."""
    every, large = Detections(CLASSES), Detections(CLASSES, LARGE)
    for scene in tests:
        logits, box = answer(scene["picture"])
        every.add(logits, box, scene)
        large.add(logits, box, scene)
    result = every.result()
    table = large.table()[:, 0]
    result["AP50 large"] = float(table[[names.index(name) for name in COMMON]].mean())
    result.update({f"AP50 large {name}": float(table[names.index(name)]) for name in COMMON})
    return result


@torch.no_grad()
def calibrate(model, answer, tests):
    """Makes scores say how often they are right, by every second batch of held-out pictures, and
    returns the one above which answers have the best F1 there."""
    def judged():
        found = Detections(CLASSES)
        for scene in tests[::2]:
            found.add(*answer(scene["picture"]), scene)
        return found
    model.weigh(*judged().odds())
    return float(judged().best_threshold()["threshold"])


def answer_of(model, side, device):
    def answer(picture):
        value = to_input(picture)
        if value.shape[-1] != side:
            value = torch.nn.functional.interpolate(value, (side, side), mode="bilinear",
                                                    antialias=True, align_corners=False)
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16,
                            enabled=device == "cuda"):
            return model(value)
    return answer


def main():
    parser = common.photo_parser(__doc__, seconds=790, output="photo-detector")
    parser.add_argument("--model", choices=("rt_detr", "detr", "yolos"), default="rt_detr")
    parser.add_argument("--side", type=int, default=256, help="of the square input")
    parser.add_argument("--mosaics", type=float, default=0.25,
                        help="the share of pictures that are four in one")
    parser.add_argument("--plain", type=float, default=0.0,
                        help="the share of the time, at its end, without such pictures")
    parser.add_argument("--groups", type=int, default=3,
                        help="of queries, in training of DETR and RT-DETR")
    of_detr = parser.add_argument_group("of DETR")
    of_detr.add_argument("--stem", type=int, default=32, help="channels of the first convolution")
    of_detr.add_argument("--channels", type=int, nargs="+", default=[64, 128, 256])
    of_detr.add_argument("--depths", type=int, nargs="+", default=[2, 2, 2])
    of_detr.add_argument("--bottleneck", action="store_true")
    of_detr.add_argument("--inner", type=int, default=768, help="width of the perceptrons")
    of_detr.add_argument("--encoder-layers", type=int, default=2)
    of_detr.add_argument("--decoder-layers", type=int, default=3)
    of_detr.add_argument("--queries", type=int, default=100)
    of_detr.add_argument("--quality", type=float, default=0.0,
                         help="how much scores follow overlaps")
    of_vit = parser.add_argument_group("of a ViT")
    of_vit.add_argument("--width", type=int, default=192)
    of_vit.add_argument("--layers", type=int, default=12)
    of_vit.add_argument("--tokens", type=int, default=100, help="to detect with")
    options = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    device = options.device
    store = photos.Store(options.packed, options.unpacked, "coco", photos.boxes_known, device,
                         options.chunks)
    store.wait()
    tests, names = photos.held_out(options.packed, options.unpacked, device, options.tests)
    model = make_model(options)
    released = options.start and pathlib.Path(options.start).is_dir()
    if released and options.model != "rt_detr":
        parser.error("--start takes a folder of an RT-DETR alone, of others a checkpoint")
    if options.start and not released:
        common.load_checkpoint(model, options.start)
    model = model.to(device, memory_format=torch.channels_last)
    print(f"detector: {sum(p.numel() for p in model.parameters())} parameters, with those for "
          f"training alone", flush=True)

    def check(model):
        result = measure(answer_of(model, options.side, device), tests, names)
        return ", ".join(f"{name} {value:.3f}" for name, value in result.items())

    def save(model):
        common.save_checkpoint(model, common.checkpoint_of(options))
        final = copy.deepcopy(model)
        if options.model == "rt_detr":
            final.settle()
            sure = calibrate(final, answer_of(final, options.side, device), tests)
            save_rt_detr(final, options.output, names, sure)
            return
        final.count_nothing_in_full()
        if options.model == "detr":
            final.backbone.settle()
            save_detr(final, options.output, names)
        else:
            save_detector(final, options.output, names)

    sizes = model.sizes() if isinstance(model, rt_detr.RtDetr) else None
    batches_of = lambda mosaics: photos.DetectionBatches(
        store, options.batch, options.side, cells_of(model), CLASSES, sizes, mosaics)
    if released:
        model.go_on_from(load_rt_detr(options.start), lambda: model.encode(to_input(
            batches_of(options.mosaics)()["picture"]).contiguous(memory_format=torch.channels_last)))
        print(f"  begins with {check(model.eval())}", flush=True)
    compiled = ((vit.Block, "forward"), (resnet.ResNetBlock, "forward"),
                (detr.EncoderBlock, "forward"), (detr.DecoderBlock, "forward"),
                (rt_detr.ResNetD, "forward"), (rt_detr.HybridEncoder, "forward"),
                (rt_detr.DecoderBlock, "among"), (rt_detr.DecoderBlock, "along"),
                (rt_detr.FirstStage, "forward"),
                (rt_detr, "scored_cost"), (rt_detr, "wanted_scores"), (rt_detr, "score_loss"),
                (losses, "matching_cost"), (losses, "covered_loss"), (losses, "box_loss"),
                (photos, "recolour"), (photos, "cover"))
    begin = 0.0
    for end, mosaics in ((1 - options.plain, options.mosaics), (1.0, 0.0)):
        if begin < end:
            model = train(model.train(), batches_of(mosaics), type(model).loss,
                          (end - begin) * options.seconds, rate=options.rate,
                          muon_rate=options.muon_rate, check=check, checks=options.checks,
                          compiled=() if options.eager else compiled, meanwhile=store.refresh,
                          save=save, part=(begin, end))
        begin = end


if __name__ == "__main__":
    main()
