"""Trains the detector and writes its folder.

    python3 train_detector.py --emoji emoji.npz --photographs photographs
"""
import copy

import torch

import options as common
from backgrounds import load_photographs
from detector import Detector
from folders import detector_tensors, restore, save_detector
from metrics import Detections
from scenes import SIZE, TEST, TRAIN, test_scenes, to_input
from trainer import train
from vit import Shape


# Scores above are shown. By F1 alone it would be 0.5; but then every twentieth photograph without any
# emoji would show one.
SURE = 0.85


@torch.no_grad()
def alarms(model, photographs):
    """The share of photographs without emoji in which something is seen."""
    seen = 0
    for some in photographs.split(256):
        logits = model(to_input(some.to(next(model.parameters()).device)))[0]
        seen += int((logits.softmax(-1)[..., :-1].amax(-1) > SURE).any(1).sum())
    return seen / len(photographs)


def main():
    parser = common.parser(__doc__, seconds=400, output="emoji-detector")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--muon-rate", type=float, default=0.012)
    options = parser.parse_args()
    tests = test_scenes(common.scenes_of(options, "test", TEST), options.tests, seed=1)
    batches = common.training_batches(options, TRAIN)

    photographs = load_photographs(f"{options.photographs}/test", *SIZE)

    @torch.no_grad()
    def check(model):
        found = Detections()
        for scene in tests:
            found.add(*model(to_input(scene["picture"])), scene)
        final = finished(model)
        save_detector(final, options.output, sure_above=SURE)
        result = dict(found.result(SURE), alarms=alarms(final, photographs))
        return ", ".join(f"{name} {value:.3f}" for name, value in result.items())

    torch.manual_seed(0)
    model = Detector(Shape(detection_tokens=16)).to(options.device)
    if options.start:
        restore(detector_tensors(model), options.start)
    print(f"detector: {sum(p.numel() for p in model.parameters())} parameters", flush=True)
    train(model, batches, Detector.loss, options.seconds, rate=options.rate,
          muon_rate=options.muon_rate, check=check)


def finished(model):
    final = copy.deepcopy(model)
    final.count_nothing_in_full()
    return final


if __name__ == "__main__":
    main()
