"""Measures the photo models on pictures never trained on: detector and classifier as transformers
runs their folders, captions as Saccade says them.

    python3 evaluate_photos.py --packed packed --unpacked unpacked
    python3 evaluate_photos.py --classifier --annotations annotations
    saccade batch PICTURES --detector none --classifier none --no-video -o out
    python3 evaluate_photos.py --said out/FRAMES.jsonl --annotations annotations
"""
import argparse
import json
import pathlib

import numpy as np
import torch

import labelled_photos
import options as common
import photos
from caption_metrics import commonest, summary
from label_metrics import average_precisions
from metrics import Detections
from photo_captions import read
from train_photo_detector import CLASSES, COMMON, measure


def detector_line(path, tests, names, device):
    import transformers
    from evaluate import Folder
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    folder = Folder(transformers.AutoModelForObjectDetection, path, device)

    def answer(picture):
        out = folder.model(pixel_values=folder.input(picture))
        return out.logits, out.pred_boxes

    result = measure(answer, tests, names)
    each = ", ".join(f"{name} {result[f'AP50 large {name}']:.3f}" for name in COMMON)
    return (f"AP50 {result['AP50']:.3f}, AP {result['AP']:.3f}; precision "
            f"{result['precision']:.3f} and recall {result['recall']:.3f} at 0.5; large objects "
            f"AP50 {result['AP50 large']:.3f} ({each})"), answer


def classifier_line(path, tests, device):
    import transformers
    from evaluate import Folder
    folder = Folder(transformers.AutoModelForImageClassification, path, device)
    logits = torch.cat([folder.model(pixel_values=folder.input(scene["picture"])).logits
                        for scene in tests])
    named = torch.cat([scene["named"] for scene in tests]).cpu().numpy() > 0
    precisions = average_precisions(logits.cpu().numpy(), named)
    said = logits.sigmoid().cpu().numpy() >= folder.model.config.sure_above
    return (f"mAP {np.nanmean(precisions[:CLASSES]):.3f} over {CLASSES} things and "
            f"{np.nanmean(precisions[CLASSES:]):.3f} over {named.shape[1] - CLASSES} tags; above "
            f"{folder.model.config.sure_above} {named[said].mean():.3f} of the labels are right, "
            f"{said.sum(1).mean():.2f} a picture")


def confidence(answer, tests):
    """What scores are worth: lines for the card."""
    every = Detections(CLASSES)
    for scene in tests:
        every.add(*answer(scene["picture"]), scene)
    best = every.best_threshold()
    rows, error = every.reliability()
    yield (f"best F1 {best['F1']:.3f} above {best['threshold']:.2f} (precision "
           f"{best['precision']:.3f}, recall {best['recall']:.3f}); calibration error {error:.3f}")
    yield "| score from | detections | mean score | right |\n|---|---|---|---|"
    for low, number, mean, share in rows:
        yield f"| {low:.2f} | {number} | {mean:.2f} | {share:.2f} |"


def said_line(file, references):
    """Of the lines that `saccade batch` wrote, of pictures named by their ids."""
    texts, wanted = [], []
    for line in open(file, encoding="utf-8"):
        frame = json.loads(line)
        wanted.append(references[str(int(pathlib.Path(frame["source"]).stem))])
        texts.append(frame["caption"]["text"])
    result = summary(texts, wanted)
    return (f"{len(texts)} pictures: CIDEr {result['CIDEr']:.3f}, BLEU-4 {result['BLEU-4']:.3f}; the "
            f"commonest, \"{commonest(texts)[0]}\", is said of {100 * result['commonest']:.1f} %")


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--packed", default="packed")
    parser.add_argument("--unpacked", default="unpacked")
    parser.add_argument("--annotations", default=".", help="folder of coco_captions.tsv.gz")
    parser.add_argument("--said", help="lines of a batch, to measure its captions")
    parser.add_argument("--classifier", action="store_true", help="not the detector")
    parser.add_argument("--tests", type=int, help="pictures to measure on; all of them")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--models", type=pathlib.Path, default=common.PRETRAINED)
    options = parser.parse_args()
    torch.set_float32_matmul_precision("highest")
    if options.said or options.classifier:
        captions = read(f"{options.annotations}/coco_captions.tsv.gz")["val"]
    if options.said:
        print(said_line(options.said, captions))
        return
    if options.classifier:
        tests, _ = labelled_photos.held_out(options.packed, options.unpacked, captions,
                                            options.device, options.tests)
        print(classifier_line(options.models / "photo-classifier", tests, options.device))
        return
    tests, names = photos.held_out(options.packed, options.unpacked, options.device, options.tests)
    line, answer = detector_line(options.models / "photo-detector", tests, names, options.device)
    print(line, "What its scores are worth:", *confidence(answer, tests), sep="\n")


if __name__ == "__main__":
    main()
