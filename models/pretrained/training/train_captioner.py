"""Trains the captioner, from the detector's ViT, and writes its folder.

    python3 train_captioner.py --emoji emoji.npz --photographs photographs
"""
import torch

import options as common
from captioner import Captioner
from captions import Captions
from folders import captioner_tensors, load_vit, restore, save_captioner
from scenes import CAPTION_TRAIN, TEST, test_scenes
from trainer import train

ENCODER_LAYERS, DECODER_LAYERS = 6, 2
SIZE = (400, 300)       # of its pictures: it names the smallest emoji, too
NOTHING = 2.5           # more of a logit for "nothing" afterwards: photographs are to stay quiet


def main():
    parser = common.parser(__doc__, seconds=400, output="emoji-captioner")
    parser.add_argument("--detector", default=common.PRETRAINED / "emoji-detector")
    options = parser.parse_args()
    tests = test_scenes(common.scenes_of(options, "test", TEST, SIZE), options.tests, seed=1)
    batches = common.training_batches(options, CAPTION_TRAIN, SIZE)
    captions = Captions(options.device)

    def check(model):
        right = number = 0
        for scene in tests:
            said = model.caption(scene["picture"], captions.end).tolist()
            for ours, truth in zip(said, captions(scene)[0].tolist()):
                right += captions.text(ours) == captions.text(truth)
                number += 1
        return f"exact {right / number:.3f}"

    torch.manual_seed(0)
    vit = load_vit(options.detector, ENCODER_LAYERS, SIZE[::-1])
    model = Captioner(vit, len(captions.tokens), DECODER_LAYERS).to(options.device)
    if options.start:
        restore(captioner_tensors(model), options.start, vit.shape.grid)
    print(f"captioner: {sum(p.numel() for p in model.parameters())} parameters", flush=True)
    model = train(model, batches, lambda model, scene: model.loss(scene, captions),
                  options.seconds, rate=1e-3, muon_rate=0.01, check=check)
    model.favour(captions.nothing, NOTHING)
    save_captioner(model, options.output, captions, num_beams=1)


if __name__ == "__main__":
    main()
