"""Measures the photo models' folders, as transformers runs them, on pictures never trained on.

    python3 evaluate_photos.py --packed packed --unpacked unpacked --annotations annotations
"""
import argparse
import pathlib

import torch
import transformers

import options as common
import photos
import train_photo_classifier
from caption_metrics import commonest, summary
from evaluate import Folder, spoken
from photo_captions import read
from metrics import Detections
from train_photo_detector import CLASSES, COMMON, measure


def detector_line(path, tests, names, device):
    folder = Folder(transformers.AutoModelForObjectDetection, path, device)

    def answer(picture):
        out = folder.model(pixel_values=folder.input(picture))
        return out.logits, out.pred_boxes

    result = measure(answer, tests, names)
    each = ", ".join(f"{name} {result[f'AP50 large {name}']:.3f}" for name in COMMON)
    return (f"AP50 {result['AP50']:.3f}, AP {result['AP']:.3f}; precision "
            f"{result['precision']:.3f} and recall {result['recall']:.3f} at 0.5; large objects "
            f"AP50 {result['AP50 large']:.3f} ({each})"), answer


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


def captioner_line(path, tests, references, device):
    folder = Folder(transformers.VisionEncoderDecoderModel, path, device)
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    texts = [text for scene in tests for text in spoken(folder, tokenizer, scene["picture"])]
    truth = [references[str(key)] for scene in tests for key in scene["id"].tolist()]
    result = summary(texts, truth)
    return (f"CIDEr {result['CIDEr']:.3f}, BLEU-4 {result['BLEU-4']:.3f}; the commonest, "
            f"\"{commonest(texts)[0]}\", is said of {100 * result['commonest']:.1f} %")


def classifier_line(path, tests, device):
    folder = Folder(transformers.ViTForImageClassification, path, device)
    ranks = []
    for picture, label in tests:
        logits = folder.model(pixel_values=folder.input(picture)).logits
        ranks.append((logits > torch.gather(logits, 1, label[:, None])).sum(1))
    rank = torch.cat(ranks)
    top = [float((rank < number).float().mean()) for number in (1, 5)]
    return f"top-1 {top[0]:.4f}, top-5 {top[1]:.4f}"


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--packed", default="packed")
    parser.add_argument("--unpacked", default="unpacked")
    parser.add_argument("--annotations", default=".", help="folder of coco_captions.tsv.gz")
    parser.add_argument("--tests", type=int, help="pictures a line of the table; all of them")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--models", type=pathlib.Path, default=common.PRETRAINED)
    options = parser.parse_args()
    torch.set_float32_matmul_precision("highest")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    device, models = options.device, options.models
    print("| model | test | result |\n|---|---|---|")
    coco = [options.packed, options.unpacked, device, options.tests]
    if any((models / f"photo-{kind}").exists() for kind in ("detector", "captioner")):
        tests, names = photos.held_out(*coco)
        number = sum(len(scene["picture"]) for scene in tests)
    if (models / "photo-detector").exists():
        line, answer = detector_line(models / "photo-detector", tests, names, device)
        print(f"| photo-detector | {number} pictures of COCO | {line} |", flush=True)
        told = list(confidence(answer, tests))
    if (models / "photo-captioner").exists():
        references = read(f"{options.annotations}/coco_captions.tsv.gz")["val"]
        line = captioner_line(models / "photo-captioner", tests, references, device)
        print(f"| photo-captioner | {number} pictures of COCO, five references each | {line} |",
              flush=True)
    if (models / "photo-classifier").exists():
        tests, _ = train_photo_classifier.held_out(*coco)
        number = sum(len(label) for _, label in tests)
        line = classifier_line(models / "photo-classifier", tests, device)
        print(f"| photo-classifier | {number} pictures of Tiny-ImageNet | {line} |", flush=True)
    if (models / "photo-detector").exists():
        print("\nWhat the detector's scores are worth:", *told, sep="\n")


if __name__ == "__main__":
    main()
