"""Measures the folders, as transformers runs them, on scenes and photographs never trained on.

    python3 evaluate.py --emoji emoji.npz --photographs photographs
"""
import argparse
import collections

import torch
import torch.nn.functional as F
import transformers

import options as common
from backgrounds import load_photographs
from captions import Captions
from metrics import Detections
from scenes import CLASSIFY_HARD, CLASSIFY_TEST, HARD, SIZE, TEST, test_scenes, to_input


class Folder:
    """A model as transformers loads it, and what its preprocessor makes of pictures."""

    def __init__(self, kind, path, device):
        self.model = kind.from_pretrained(path, dtype=torch.float32).to(device).eval()
        size = transformers.AutoImageProcessor.from_pretrained(path).size
        self.size = (size["height"], size["width"])

    def input(self, picture):
        value = to_input(picture)
        if value.shape[-2:] != self.size:
            value = F.interpolate(value, self.size, mode="bilinear", antialias=True,
                                  align_corners=False)
        return value


def detections(folder, scenes):
    found = Detections()
    for scene in scenes:
        out = folder.model(pixel_values=folder.input(scene["picture"]))
        found.add(out.logits, out.pred_boxes, scene)
    return found.result(folder.model.config.sure_above)


def alarms(folder, photographs, device):
    """Photographs in which something is seen, and how many something is seen."""
    pictures = total = 0
    for batch in photographs.split(128):
        out = folder.model(pixel_values=folder.input(batch.to(device)))
        said = out.logits.softmax(-1)[..., :-1].max(-1)[0] > folder.model.config.sure_above
        pictures += int(said.any(1).sum())
        total += int(said.sum())
    return pictures, total


def spoken(folder, tokenizer, picture):
    ids = folder.model.generate(pixel_values=folder.input(picture), do_sample=False)
    return [text.strip() for text in tokenizer.batch_decode(ids, skip_special_tokens=True)]


def sentences(folder, tokenizer, captions, scenes):
    exact = number = 0
    objects = collections.Counter()
    for scene in scenes:
        truth = [captions.text(ids) for ids in captions(scene)[0].tolist()]
        for said, true in zip(spoken(folder, tokenizer, scene["picture"]), truth):
            ours, theirs = captions.objects(said), captions.objects(true)
            exact += said == true
            number += 1
            objects.update(right=sum((ours & theirs).values()), said=sum(ours.values()),
                           true=sum(theirs.values()))
    return {"exact": exact / number, "precision": objects["right"] / max(1, objects["said"]),
            "recall": objects["right"] / max(1, objects["true"])}


def top1(folder, scenes):
    right = [folder.model(pixel_values=folder.input(scene["picture"])).logits.argmax(-1)
             == scene["label"][:, 0] for scene in scenes]
    return float(torch.cat(right).float().mean())


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--emoji", default="emoji.npz")
    parser.add_argument("--photographs", default="photographs")
    parser.add_argument("--tests", type=int, default=4096, help="scenes a line of the table")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--models", default=common.PRETRAINED)
    options = parser.parse_args()
    device = options.device
    torch.set_float32_matmul_precision("highest")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    cameras = {"good camera": (TEST, CLASSIFY_TEST), "bad camera": (HARD, CLASSIFY_HARD)}
    detector = Folder(transformers.YolosForObjectDetection, f"{options.models}/emoji-detector",
                      device)
    sure = detector.model.config.sure_above
    captioner = Folder(transformers.VisionEncoderDecoderModel, f"{options.models}/emoji-captioner",
                       device)
    tokenizer = transformers.AutoTokenizer.from_pretrained(f"{options.models}/emoji-captioner")
    captions = Captions(device)
    classifier = Folder(transformers.ViTForImageClassification,
                        f"{options.models}/emoji-classifier", device)

    def drawn(style, size=SIZE):
        return test_scenes(common.scenes_of(options, "test", style, size), options.tests, seed=2)

    print("| model | test | result |\n|---|---|---|")
    for camera, (style, _) in cameras.items():
        result = detections(detector, drawn(style))
        print(f"| detector | {options.tests} scenes, {camera} | AP50 {result['AP50']:.3f}, "
              f"AP {result['AP']:.3f}; precision {result['precision']:.3f} and recall "
              f"{result['recall']:.3f} at {sure} |", flush=True)
    photographs = load_photographs(f"{options.photographs}/test", *SIZE)
    pictures, total = alarms(detector, photographs, device)
    print(f"| detector | {len(photographs)} photographs without emoji | something seen in "
          f"{pictures} ({100 * pictures / len(photographs):.1f} %), {total} boxes at "
          f"{sure} |", flush=True)
    seen = captioner.size[::-1]
    for camera, (style, _) in cameras.items():
        result = sentences(captioner, tokenizer, captions, drawn(style, seen))
        print(f"| captioner | {options.tests} scenes, {camera} | exact {result['exact']:.3f}; "
              f"objects: precision {result['precision']:.3f}, recall {result['recall']:.3f} |",
              flush=True)
    photographs = load_photographs(f"{options.photographs}/test", *seen)
    said = [text for batch in photographs.split(128)
            for text in spoken(captioner, tokenizer, batch.to(device))]
    print(f"| captioner | {len(said)} photographs without emoji | \"nothing\" said of "
          f"{said.count('nothing')} |", flush=True)
    for camera, (_, style) in cameras.items():
        print(f"| classifier | {options.tests} scenes, {camera} | top-1 "
              f"{top1(classifier, drawn(style)):.4f} |", flush=True)


if __name__ == "__main__":
    main()
