"""Trains the detector and writes its folder.

    python3 train_detector.py --emoji emoji.npz --photographs photographs
"""
import torch

import options as common
from detector import Detector
from folders import detector_tensors, restore, save_detector
from metrics import Detections
from scenes import TEST, TRAIN, test_scenes, to_input
from trainer import train
from vit import Shape


def main():
    options = common.parser(__doc__, seconds=400, output="emoji-detector").parse_args()
    tests = test_scenes(common.scenes_of(options, "test", TEST), options.tests, seed=1)
    batches = common.training_batches(options, TRAIN)

    @torch.no_grad()
    def check(model):
        found = Detections()
        for scene in tests:
            found.add(*model(to_input(scene["picture"])), scene)
        return ", ".join(f"{name} {value:.3f}" for name, value in found.result().items())

    torch.manual_seed(0)
    model = Detector(Shape(detection_tokens=16)).to(options.device)
    if options.start:
        restore(detector_tensors(model), options.start)
    print(f"detector: {sum(p.numel() for p in model.parameters())} parameters", flush=True)
    model = train(model, batches, Detector.loss, options.seconds, rate=1e-3, muon_rate=0.012,
                  check=check)
    model.count_nothing_in_full()
    save_detector(model, options.output)


if __name__ == "__main__":
    main()
