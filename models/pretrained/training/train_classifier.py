"""Trains the classifier, from the detector's ViT, and writes its folder.

    python3 train_classifier.py --emoji emoji.npz --photographs photographs
"""
import torch

import certainty
import options as common
from classifier import Classifier
from folders import classifier_tensors, load_vit, restore, save_classifier
from scenes import CLASSIFY_TEST, CLASSIFY_TRAIN, test_scenes
from trainer import train

LAYERS, IMAGE = 6, (160, 200)       # height, width; 81 tokens


def main():
    parser = common.parser(__doc__, seconds=140, output="emoji-classifier")
    parser.add_argument("--detector", default=common.PRETRAINED / "emoji-detector")
    options = parser.parse_args()
    tests = test_scenes(common.scenes_of(options, "test", CLASSIFY_TEST), options.tests, seed=1)
    batches = common.training_batches(options, CLASSIFY_TRAIN)

    @torch.no_grad()
    def answers(model, scenes):
        return (torch.cat([model(scene["picture"]) for scene in scenes]),
                torch.cat([scene["label"][:, 0] for scene in scenes]))

    def check(model):
        score, right = certainty.judged(*answers(model, tests))
        error = certainty.reliability(score, right)[1]
        return f"top-1 {right.mean():.4f}, calibration error {error:.3f}"

    torch.manual_seed(0)
    model = Classifier(load_vit(options.detector, LAYERS, IMAGE)).to(options.device)
    if options.start:
        restore(classifier_tensors(model), options.start)
    print(f"classifier: {sum(p.numel() for p in model.parameters())} parameters", flush=True)
    model = train(model, batches, Classifier.loss, options.seconds, rate=7e-4, muon_rate=0.008,
                  check=check)
    certainty.multiply(model.head, certainty.factor_of(*answers(model, tests)))
    print(f"as sure as it should be: {check(model)}")
    save_classifier(model, options.output)


if __name__ == "__main__":
    main()
