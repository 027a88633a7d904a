"""Trains a classifier of COCO's 80 things and of tags from captions, which learns from a detector
too, and writes its folder.

    python3 train_photo_classifier.py --annotations annotations
    python3 train_photo_classifier.py --annotations annotations --model cnn --batch 1024
"""
import copy
import json
import pathlib
import time

import numpy as np
import torch

import certainty
import labelled_photos
import options as common
import photos
import resnet
import vit
from attention_cnn import AttentionCNN
from classifier import Classifier
from folders import SEVERAL, save_attention_cnn, save_classifier
from label_metrics import average_precisions, pointing
from labelled_photos import LabelledBatches, SeenStore, Teacher
from photo_captions import read
from resnet import ResNetShape
from several_labels import THINGS, Pupil
from trainer import train
from vit import Shape, ViT

PATCH, HEAD = 16, 32    # side of a ViT's patch in pixels; width of its heads
FOLDERS = dict(vit="photo-classifier", cnn="photo-classifier-2018")
COMPILED = ((vit.Block, "forward"), (vit.Block, "looked"), (resnet.ResNetBlock, "forward"),
            (photos, "recolour"), (photos, "cover"))


def arguments(argv=None):
    parser = common.photo_parser(__doc__, seconds=286, batch=512)
    parser.add_argument("--annotations", default=".", help="folder of coco_captions.tsv.gz")
    parser.add_argument("--detector", default=common.PRETRAINED / "photo-detector",
                        help="folder of the detector to learn from")
    parser.add_argument("--model", choices=("vit", "cnn"), default="vit")
    of_vit = parser.add_argument_group("of a ViT")
    of_vit.add_argument("--width", type=int, default=192)
    of_vit.add_argument("--layers", type=int, default=12)
    of_vit.add_argument("--side", type=int, default=256, help="of its pictures")
    of_vit.add_argument("--first-side", type=int, default=160, help="of those it begins with, "
                        "twice as many a step")
    of_vit.add_argument("--first", type=float, default=0.44, help="share of the time for these")
    of_cnn = parser.add_argument_group("of a convolutional network with self-attention")
    of_cnn.add_argument("--stem", type=int, default=32, help="channels of the first convolution")
    of_cnn.add_argument("--channels", type=int, nargs="+", default=[64, 128, 256])
    of_cnn.add_argument("--depths", type=int, nargs="+", default=[2, 3, 1])
    of_cnn.add_argument("--inner", type=int, default=64, help="channels of queries and values")
    of_cnn.add_argument("--cnn-side", type=int, default=128, help="of its pictures")
    options = parser.parse_args(argv)
    options.output = pathlib.Path(options.output or common.PRETRAINED / FOLDERS[options.model])
    return options


def make_model(options, labels, seen):
    """With `seen` features of the teacher at each place."""
    if options.model == "cnn":
        shape = ResNetShape(options.stem, tuple(options.channels), tuple(options.depths),
                            output_stride=8)
        return Pupil(AttentionCNN(shape, options.cnn_side, options.inner, labels),
                     options.channels[-1], seen)
    shape = Shape(width=options.width, layers=options.layers, heads=options.width // HEAD,
                  image=(options.side, options.side), patch=PATCH)
    return Pupil(Classifier(ViT(shape), labels), options.width, seen)


def stages(options):
    """What is trained on in turn: side of the pictures, cells along it, pictures a step, share of
    the time, and part of the schedule."""
    if options.model == "cnn":
        return [(options.cnn_side, options.cnn_side // 8, options.batch, 1.0, (0.0, 1.0))]
    small, large = options.first_side, options.side
    return [(small, small // PATCH, 2 * options.batch, options.first, (0.0, 0.5)),
            (large, large // PATCH, options.batch, 1 - options.first, (0.5, 1.0))]


class Measure:
    """Measures a classifier on held-out pictures, writes its folder, and adds a line to
    FOLDER.jsonl: the curves."""

    def __init__(self, options, tests, names):
        self.options, self.tests, self.names = options, tests, names
        self.began = time.time()
        self.named = torch.cat([scene["named"] for scene in tests])

    @torch.no_grad()
    def answers(self, model):
        return torch.cat([model(scene["picture"]) for scene in self.tests])

    @torch.no_grad()
    def __call__(self, pupil):
        common.save_checkpoint(pupil, common.checkpoint_of(self.options))
        model = copy.deepcopy(pupil.model)
        logits = self.answers(model)
        result = dict(seconds=round(time.time() - self.began, 1))
        precisions = average_precisions(logits.cpu().numpy(), self.named.cpu().numpy() > 0)
        result["mAP things"] = float(np.nanmean(precisions[:THINGS]))
        result["mAP tags"] = float(np.nanmean(precisions[THINGS:]))
        logits = self.calibrate(model, logits, result)
        self.judge(logits, result)
        if hasattr(model, "rollout"):
            self.point(model, logits, result)
        self.write(model, result["sure above"])
        every = dict(result, AP={name: round(float(value), 4)
                                 for name, value in zip(self.names, precisions)})
        with open(f"{self.options.output}.jsonl", "a") as out:
            out.write(json.dumps(every) + "\n")
        return ", ".join(f"{key} {value:.3f}" for key, value in result.items()
                         if not isinstance(value, list))

    def calibrate(self, model, logits, result):
        """Things and tags each, by every second picture."""
        for kind, labels in (("things", slice(0, THINGS)), ("tags", slice(THINGS, None))):
            factor, shift = certainty.line_of(logits[::2, labels], self.named[::2, labels])
            certainty.multiply(model.head, factor, shift, labels)
            result.update({f"factor of {kind}": factor, f"shift of {kind}": shift})
        return self.answers(model)

    def judge(self, logits, result):
        """The threshold is found by every second picture and tried on the others."""
        score, right = logits.sigmoid().cpu().numpy(), self.named.cpu().numpy() > 0
        result["sure above"] = certainty.threshold_of(score[::2], right[::2])
        for part, rows in (("other half", slice(1, None, 2)), ("all", slice(None))):
            said = score[rows] >= result["sure above"]
            result[f"precision, {part}"] = float(right[rows][said].mean()) if said.any() else 0.0
            result[f"labels a picture, {part}"] = float(said.sum(1).mean())
            result[f"recall, {part}"] = float(right[rows][said].sum() / right[rows].sum())
        for kind, labels in (("things", slice(0, THINGS)), ("tags", slice(THINGS, None))):
            some, true = score[1::2, labels].ravel(), right[1::2, labels].ravel()
            counts = some >= 0.05
            if counts.any():
                result[f"reliability of {kind}"], result[f"calibration error of {kind}"] = \
                    certainty.reliability(some[counts], true[counts])

    @torch.no_grad()
    def point(self, model, logits, result):
        side = self.options.side // PATCH
        cells = labelled_photos.middles(side).to(logits.device)
        rows, begin = [], 0
        for scene in self.tests:
            count = len(scene["picture"])
            reached = model.rollout(model.as_input(scene["picture"]))
            rows.append(pointing(reached, logits[begin:begin + count], scene, cells))
            begin += count
        score, there, hit, chance = torch.cat(rows).cpu().numpy().T
        for name, of in (("named rightly", there > 0),
                         ("named and shown", (there > 0) & (score >= result["sure above"])),
                         ("all named", there >= 0)):
            result[f"pointing, {name}"] = float(hit[of].mean()) if of.any() else 0.0
            result[f"by chance, {name}"] = float(chance[of].mean()) if of.any() else 0.0

    def write(self, model, sure):
        if self.options.model == "cnn":
            model.backbone.settle()
            save_attention_cnn(model, self.options.output, self.names, sure)
        else:
            save_classifier(model, self.options.output, self.names, sure, SEVERAL)


def learn(options, store, tests, names):
    """Trains a model as the options have it; its measure writes it."""
    torch.manual_seed(0)
    pupil = make_model(options, len(names), store.teacher.width * len(store.teacher.grids))
    if options.start:
        common.load_checkpoint(pupil, options.start)
    pupil = pupil.to(options.device, memory_format=torch.channels_last)
    print(f"{options.model}: {sum(p.numel() for p in pupil.model.parameters())} parameters, "
          f"{len(names)} labels", flush=True)
    measure = Measure(options, tests, names)
    for side, grid, batch, share, part in stages(options):
        pupil = train(pupil.train(), LabelledBatches(store, batch, side, grid),
                      lambda model, scene: model.loss(scene), share * options.seconds,
                      rate=options.rate, muon_rate=options.muon_rate, check=measure,
                      checks=max(1, round(share * options.checks)),
                      compiled=() if options.eager else COMPILED, meanwhile=store.refresh,
                      part=part)


def main():
    options = arguments()
    torch.set_float32_matmul_precision("high")
    captions = read(f"{options.annotations}/coco_captions.tsv.gz")
    teacher = Teacher(options.detector, options.device)
    store = SeenStore(options.packed, options.unpacked, captions["train"], teacher, options.device,
                      options.chunks)
    store.wait()
    tests, names = labelled_photos.held_out(options.packed, options.unpacked, captions["val"],
                                            options.device, options.tests)
    learn(options, store, tests, names)


if __name__ == "__main__":
    main()
