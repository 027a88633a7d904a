"""Trains a classifier of Tiny-ImageNet's 200 classes from scratch and writes its folder.

    python3 train_photo_classifier.py --packed packed --unpacked unpacked
    python3 train_photo_classifier.py --depths 2 3 1 --seconds 420 -o ../photo-classifier-2018 ...
"""
import copy
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

import certainty
import options as common
import photos
import resnet
import vit
from attention_cnn import AttentionCNN
from classifier import Classifier
from folders import save_attention_cnn, save_classifier
from resnet import ResNetShape
from trainer import train
from vit import Shape, ViT

CLASSES, SIDE = 200, 64
SMOOTHING, MIXED, PASTED = 0.1, 0.4, 0.4    # shares of batches mixed and pasted; others are plain


def held_out(packed, unpacked, device, most=None):
    """Batches of pictures and labels to measure on, and the names of the classes."""
    packed = np.load(pathlib.Path(packed) / "tiny-val.npz")
    pictures = torch.from_numpy(np.load(pathlib.Path(unpacked) / "tiny-val.npy")[:most])
    labels = torch.from_numpy(packed["labels"][:most].astype(np.int64))
    batches = [(some.permute(0, 3, 1, 2).to(device), label.to(device))
               for some, label in zip(pictures.split(1000), labels.split(1000))]
    return batches, packed["names"].tolist()


class ClassificationBatches:
    """Pictures cropped, mirrored and recoloured, with a patch erased; and in most of them another
    picture shines through or covers a part, whose label then has its share."""

    def __init__(self, store, batch):
        self.store, self.batch = store, batch
        y, x = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
        self.x, self.y = x.to(store.device), y.to(store.device)

    def inside(self, area):
        """Squares of that share (count) of the picture, anywhere: (count, 1, SIDE, SIDE)."""
        half = (area.sqrt() * SIDE / 2).view(-1, 1, 1)
        where = lambda axis: (torch.rand(len(area), 1, 1, device=area.device) * SIDE
                              - axis).abs() < half
        return (where(self.x) & where(self.y))[:, None]

    def __call__(self):
        count, device = self.batch, self.store.device
        uniform = lambda: torch.rand(count, device=device)
        row = self.store.draw(count)
        label = self.store.known["label"][row]
        window = photos.Window(count, device, least=0.45, most=1.1, shape=0.15, still=0.05)
        picture = photos.recolour(window.look(self.store.picture(row), SIDE), strength=0.35)
        gone = self.inside(uniform() * 0.15 * (uniform() < 0.3))
        picture = torch.where(gone, torch.rand(count, 3, SIDE, SIDE, device=device) * 255, picture)

        other, kind = picture.flip(0), uniform()
        share = uniform()                           # of the other picture
        # the closer to one half, the rarer: a sample is mostly itself or mostly the other
        share = 0.5 - 0.5 * (1 - 2 * share).sign() * (1 - 2 * share).abs().sqrt()
        covered = self.inside(share)
        by_area = covered.float().mean((1, 2, 3))
        mixed, pasted = kind < MIXED, (kind >= MIXED) & (kind < MIXED + PASTED)
        through = share.view(-1, 1, 1, 1)
        picture = torch.where(mixed.view(-1, 1, 1, 1), picture + (other - picture) * through,
                              torch.where(pasted.view(-1, 1, 1, 1) & covered, other, picture))
        share = torch.where(mixed, share, torch.where(pasted, by_area, torch.zeros_like(share)))
        return dict(picture=picture, label=label, other=label.flip(0), share=share)


def loss(model, batch):
    logits = model(batch["picture"])
    entropy = lambda label: F.cross_entropy(logits, label, reduction="none",
                                            label_smoothing=SMOOTHING)
    share = batch["share"]
    return ((1 - share) * entropy(batch["label"]) + share * entropy(batch["other"])).mean()


def make_model(options):
    if options.model == "cnn":
        shape = ResNetShape(options.stem, tuple(options.channels), tuple(options.depths),
                            output_stride=8)
        return AttentionCNN(shape, 2 * SIDE, options.inner, CLASSES)
    shape = Shape(width=options.width, layers=options.layers, heads=options.width // 32,
                  image=(SIDE, SIDE), patch=8)
    return Classifier(ViT(shape), CLASSES)


def main():
    parser = common.photo_parser(__doc__, seconds=800, output="photo-classifier", batch=1024)
    parser.add_argument("--model", choices=("cnn", "vit"), default="cnn")
    of_vit = parser.add_argument_group("of a ViT")
    of_vit.add_argument("--width", type=int, default=192)
    of_vit.add_argument("--layers", type=int, default=8)
    of_cnn = parser.add_argument_group("of a convolutional network with self-attention")
    of_cnn.add_argument("--stem", type=int, default=32, help="channels of the first convolution")
    of_cnn.add_argument("--channels", type=int, nargs="+", default=[64, 128, 256])
    of_cnn.add_argument("--depths", type=int, nargs="+", default=[2, 4, 2])
    of_cnn.add_argument("--inner", type=int, default=64, help="channels of queries and values")
    options = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    device = options.device
    known = lambda packed: dict(label=packed["labels"].astype(np.int64))
    store = photos.Store(options.packed, options.unpacked, "tiny", known, device, options.chunks)
    store.wait()
    tests, names = held_out(options.packed, options.unpacked, device, options.tests)
    model = make_model(options)
    if options.start:
        common.load_checkpoint(model, options.start)
    model = model.to(device, memory_format=torch.channels_last)
    print(f"classifier: {sum(p.numel() for p in model.parameters())} parameters", flush=True)

    @torch.no_grad()
    def answers(model, batches):
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16,
                            enabled=device == "cuda"):
            return (torch.cat([model(picture).float() for picture, _ in batches]),
                    torch.cat([label for _, label in batches]))

    @torch.no_grad()
    def check(model):
        """Made as sure as it should be by every second batch; how sure it then is by the others."""
        common.save_checkpoint(model, common.checkpoint_of(options))
        final = copy.deepcopy(model)
        factor = certainty.factor_of(*answers(final, tests[::2]))
        certainty.multiply(final.head, factor)
        sure = certainty.best_threshold(*certainty.judged(*answers(final, tests[::2])))
        write(final, sure["threshold"])
        logits, label = answers(final, tests)
        best = logits.topk(5, 1)[1] == label[:, None]
        rows, error = certainty.reliability(*certainty.judged(*answers(final, tests[1::2])))
        for low, share, said, right in rows:
            print(f"    {low:.1f}: {share:.3f} of the pictures, says {said:.3f}, is {right:.3f}")
        return (f"top-1 {best[:, 0].float().mean():.4f}, top-5 {best.any(1).float().mean():.4f}, "
                f"factor {factor:.2f}, calibration error {error:.3f}, sure above {sure}")

    def write(model, sure):
        if options.model == "cnn":
            model.backbone.settle()
            save_attention_cnn(model, options.output, names, sure)
        else:
            save_classifier(model, options.output, names, sure)

    compiled = ((vit.Block, "forward"), (resnet.ResNetBlock, "forward"), (photos, "recolour"))
    train(model, ClassificationBatches(store, options.batch), loss, options.seconds,
          rate=options.rate, muon_rate=options.muon_rate, check=check, checks=options.checks,
          compiled=() if options.eager else compiled, meanwhile=store.refresh)


if __name__ == "__main__":
    main()
