r"""Trains a captioner on photographs, from an eye that knows them, and writes its folder.

    python3 train_photo_captioner.py --annotations annotations
    python3 train_photo_captioner.py --annotations annotations --model 2015
    python3 train_photo_captioner.py --annotations annotations --start ../photo-captioner --eye-layers 10

The first has a classifier's ViT for an eye, the second, Show, Attend and Tell, a detector's first
stages. It learns by words, at first with the eye as it is, then by sentences of its own: speaking.py.
The third makes a smaller one out of an earlier one.
"""
import copy
import dataclasses
import pathlib
import time

import torch

import captioner
import options as common
import persons
import photos
import rt_detr
import speaking
import vit
from caption_metrics import summary
from captioner import Captioner
from folders import (captioner_tensors, load_eye, load_rt_detr, restore, save_captioner,
                     save_show_attend_tell)
from labelled_photos import middles
from photo_captions import LENGTH, CaptionBatches, PhotoCaptions, read
from pruning import prune
from show_attend_tell import ShowAttendTell
from train_photo_detector import CLASSES
from trainer import train

BEGAN = time.time()
SIDE, BEAMS = 256, 3
LAYERS = 3                              # of the GPT-2
MERGES = {"vit": 3000, "2015": 2000}    # what is learned of spelling: many words, few weights
NO_REPEAT = 2           # no two words are said twice in the same order: "a hat and a hat"
START, END = 5, 8       # seconds before a stage's first step, and after the last step of all
FOLDERS = {"vit": "photo-captioner", "2015": "photo-captioner-2015"}
COMPILED = ((vit.Block, "forward"), (captioner.CaptionerBlock, "forward"),
            (rt_detr.ResNetD, "forward"), (photos, "recolour"), (photos, "cover"))


@dataclasses.dataclass
class Stage:
    """A part of the training: `share` of the time, by words or sentences, and whether the eye learns
    too."""
    share: float
    eye: bool = True
    sentences: bool = False
    dropout: float = 0.2
    rate: float = 1.0           # factor of the learning rates


STAGES = {"vit": [Stage(0.2, eye=False), Stage(0.8, sentences=True, dropout=0.1, rate=0.2)],
          "2015": [Stage(0.5), Stage(0.5, sentences=True, dropout=0.0, rate=0.2)],
          "pruned": [Stage(0.1, rate=0.3), Stage(0.9, sentences=True, dropout=0.1, rate=0.2)]}


def arguments(argv=None):
    parser = common.photo_parser(__doc__, seconds=230, batch=256)
    parser.add_argument("--annotations", default=".", help="folder of coco_captions.tsv.gz")
    parser.add_argument("--model", choices=tuple(FOLDERS), default="vit")
    parser.add_argument("--classifier", default=common.PRETRAINED / "photo-classifier",
                        help="folder of the classifier whose ViT it begins with")
    parser.add_argument("--detector", default=common.PRETRAINED / "photo-detector",
                        help="folder of the detector whose first stages the one of 2015 begins with")
    parser.add_argument("--eye-layers", type=int, help="of the ViT, fewer than it has: those that "
                        "are missed least stay")
    parser.add_argument("--smoothing", type=float, default=0.1)
    parser.add_argument("--forgotten", type=float, default=0.15,
                        help="share of words that are not read")
    parser.add_argument("--samples", type=int, default=5, help="sentences of a picture")
    parser.add_argument("--share", type=float, default=0.1,
                        help="of people's words beside sentences of its own")
    options = parser.parse_args(argv)
    if options.eye_layers and not (options.start and options.model == "vit"):
        parser.error("--eye-layers takes a captioner with a ViT for an eye: name it by --start")
    options.output = pathlib.Path(options.output or common.PRETRAINED / FOLDERS[options.model])
    return options


def make_model(options, vocabulary):
    if options.model == "2015":
        model = ShowAttendTell(vocabulary)
        model.backbone.load_state_dict(load_rt_detr(options.detector).backbone.state_dict(),
                                       strict=False)
    else:
        model = Captioner(load_eye(options.classifier), vocabulary, LAYERS, LENGTH, CLASSES)
    if options.start and pathlib.Path(options.start).is_dir():
        restore(captioner_tensors(model), options.start, model.vit.shape.grid)
    elif options.start:
        common.load_checkpoint(model, options.start)
    return model


def pace(name):
    """The eye of the ViT knows most already: the nearer to the pixels, the slower it learns."""
    if not name.startswith("vit."):
        return 1.0
    block = int(name.split(".")[2]) if name.startswith("vit.blocks.") else -1
    return 0.3 if block >= 10 or name.startswith("vit.norm") else 0.15 if block >= 6 else 0.05


class Measure:
    """Writes the folder, and tells what the model says of held-out pictures, and what that is
    worth."""

    def __init__(self, options, tests, captions, references):
        self.options, self.tests, self.captions = options, tests, captions
        self.references, self.stage = references, ""

    def __call__(self, model):
        self.write(model, self.options.output)
        say = lambda picture: speaking.greedy(model, picture, self.captions.end)
        return "greedy: " + self.worth(say)

    def by_beams(self, model):
        say = lambda picture: speaking.beam_search(model, picture, self.captions.end, BEAMS,
                                                   NO_REPEAT)
        return f"{BEAMS} beams: " + self.worth(say)

    def worth(self, say):
        texts, wanted = [], []
        for scene in self.tests:
            with torch.autocast(scene["picture"].device.type, dtype=torch.bfloat16,
                                enabled=scene["picture"].is_cuda):
                ids = say(scene["picture"])
            texts += [self.captions.text(row) for row in ids.tolist()]
            wanted += [self.references[str(key)] for key in scene["id"].tolist()]
        print("   ", "; ".join(texts[:6]), flush=True)
        return ", ".join(f"{key} {value:.3f}" for key, value in summary(texts, wanted).items())

    def write(self, model, folder):
        final = copy.deepcopy(model)
        save = save_captioner
        if self.options.model == "2015":
            final.settle()
            save = save_show_attend_tell
        save(final, folder, self.captions, num_beams=BEAMS, no_repeat_ngram_size=NO_REPEAT)


def pruned_pace(name):
    """Every block of a pruned eye has to make up for those that went."""
    return 0.3 if name.startswith("vit.") else 1.0


def prune_eye(model, layers, batches, word_loss):
    """By what a word costs, over some pictures to train on."""
    some = [batches() for _ in range(4)]
    model.eval()
    prune(model.vit, layers, lambda: sum(word_loss(model, batch) for batch in some) / len(some))


def learn(options, model, store, captions, measure):
    """All stages; the seconds are those of the clock, from the beginning of the program."""
    batches = {sentences: CaptionBatches(store, options.batch // (2 if sentences else 1), SIDE,
                                         middles(SIDE // 16), CLASSES)
               for sentences in (False, True)}
    word_loss = lambda model, batch: speaking.word_loss(model, batch, captions.end,
                                                        options.smoothing, options.forgotten)
    stages, paces = STAGES[options.model], pace
    if options.eye_layers:
        stages, paces = STAGES["pruned"], pruned_pace
        prune_eye(model, options.eye_layers, batches[False], word_loss)
    began = time.time()
    whole = BEGAN + options.seconds - END - began
    for index, stage in enumerate(stages):
        until = began + whole * sum(some.share for some in stages[:index + 1])
        if stage.sentences:
            every = batches[True].every()
            consensus = speaking.Consensus(*every, len(captions.tokens), captions.end)
            sexes = persons.Sexes(captions, options.device)
            loss = lambda model, batch: speaking.sentence_loss(
                model, batch, captions.end, consensus, sexes, options.samples, options.share)
        else:
            loss = word_loss
        if options.model == "vit":
            model.vit.requires_grad_(stage.eye)
        set_dropout(model, stage.dropout)
        print(f"stage {index}: {stage}", flush=True)
        model = train(model.train(), batches[stage.sentences], loss,
                      max(1.0, until - START - time.time()), rate=stage.rate * options.rate,
                      muon_rate=stage.rate * options.muon_rate, check=measure, checks=options.checks,
                      compiled=() if options.eager else COMPILED, meanwhile=store.refresh,
                      pace=paces, wall=True)
        common.save_checkpoint(model, common.checkpoint_of(options))
        measure.write(model, f"{options.output}-after-{index}")
    return model


def set_dropout(model, dropout):
    for module in model.modules():
        if hasattr(module, "dropout"):
            module.dropout = dropout


def main():
    options = arguments()
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    known = read(f"{options.annotations}/coco_captions.tsv.gz")
    captions = PhotoCaptions([text for several in known["train"].values() for text in several],
                             MERGES[options.model])

    def annotate(packed):
        ids, number = captions.table(packed["ids"].tolist(), known["train"])
        return dict(ids=ids, captions=number, **photos.boxes_known(packed))

    store = photos.Store(options.packed, options.unpacked, "captioned", annotate, options.device,
                         options.chunks)
    store.wait()
    tests, _ = photos.held_out(options.packed, options.unpacked, options.device, options.tests)
    model = make_model(options, len(captions.tokens)).to(options.device,
                                                         memory_format=torch.channels_last)
    print(f"{options.model}: {sum(p.numel() for p in model.parameters())} parameters, "
          f"{len(captions.tokens)} tokens", flush=True)
    measure = Measure(options, tests, captions, known["val"])
    model = learn(options, model, store, captions, measure)
    print(measure.by_beams(model), flush=True)


if __name__ == "__main__":
    main()
