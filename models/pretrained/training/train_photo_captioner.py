r"""Trains a captioner on photographs, from a detector's eye, and writes its folder.

    python3 train_photo_captioner.py --seconds 200 -o spoken
    python3 train_photo_captioner.py --sentences --start spoken.pt --seconds 200

With --sentences it goes on by sentences of its own, see speaking.py; with --model 2015 it is Show,
Attend and Tell.
"""
import copy

import torch

import captioner
import hybrid_captioner
import options as common
import photos
import rt_detr
import speaking
import vit
from caption_metrics import summary
from folders import load_rt_detr, save_hybrid_captioner, save_show_attend_tell
from hybrid_captioner import HybridCaptioner
from photo_captions import CaptionBatches, PhotoCaptions, read
from show_attend_tell import ShowAttendTell
from train_photo_detector import CLASSES
from trainer import train

SIDE, BEAMS = 256, 3
MERGES = {"hybrid": 4000, "2015": 2000}     # what is learned of spelling: many words, few weights
NO_REPEAT = 2           # no two words are said twice in the same order: "a hat and a hat"


def arguments():
    parser = common.photo_parser(__doc__, seconds=200, output="photo-captioner", batch=256)
    parser.add_argument("--annotations", default=".", help="folder of coco_captions.tsv.gz and "
                        "flickr8k_captions.tsv.gz")
    parser.add_argument("--model", choices=("hybrid", "2015"), default="hybrid")
    parser.add_argument("--detector", default=common.PRETRAINED / "photo-detector",
                        help="folder of the detector whose eye it begins with")
    parser.add_argument("--flickr", type=float, default=0.2, help="share of Flickr8k in a batch")
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--smoothing", type=float, default=0.1)
    parser.add_argument("--forgotten", type=float, default=0.15,
                        help="share of words that are not read")
    parser.add_argument("--sentences", action="store_true", help="of its own, by what they are "
                        "worth; from --start")
    parser.add_argument("--samples", type=int, default=5, help="sentences of a picture")
    parser.add_argument("--share", type=float, default=0.1,
                        help="of people's words beside sentences of its own")
    return parser.parse_args()


def make_model(options, vocabulary):
    """With the detector's eye; what --start names comes over it."""
    seen = load_rt_detr(options.detector)
    if options.model == "2015":
        model = ShowAttendTell(vocabulary, dropout=options.dropout)
        model.backbone.load_state_dict(seen.backbone.state_dict(), strict=False)
    else:
        model = HybridCaptioner(vocabulary, dropout=options.dropout)
        model.eye.load_state_dict(dict(seen.state_dict()), strict=False)
    if options.start:
        common.load_checkpoint(model, options.start)
    return model


def cells_of(side):
    """Where the cells of the map of stride 16 lie."""
    rows = side // 16
    y, x = torch.meshgrid(*[(torch.arange(rows) + 0.5) / rows] * 2, indexing="ij")
    return torch.stack([x, y], -1).view(-1, 2)


def measure(model, say, tests, captions, references):
    """What say(model, pictures) -> ids is worth on held-out pictures."""
    texts, wanted = [], []
    for scene in tests:
        with torch.autocast(scene["picture"].device.type, dtype=torch.bfloat16,
                            enabled=scene["picture"].is_cuda):
            ids = say(model, scene["picture"])
        texts += [captions.text(row) for row in ids.tolist()]
        wanted += [references[str(key)] for key in scene["id"].tolist()]
    print("   ", "; ".join(texts[:6]), flush=True)
    return summary(texts, wanted)


def main():
    options = arguments()
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    device = options.device
    coco_captions = read(f"{options.annotations}/coco_captions.tsv.gz")
    flickr_captions = read(f"{options.annotations}/flickr8k_captions.tsv.gz")["train"]
    texts = [text for every in (coco_captions["train"], flickr_captions)
             for several in every.values() for text in several]
    captions = PhotoCaptions(texts, MERGES[options.model])

    def known(of, boxes):
        def annotate(packed):
            ids, number = captions.table(packed["ids"].tolist(), of)
            boxed = photos.boxes_known(packed) if boxes else {}
            return dict(ids=ids, captions=number, **boxed)
        return annotate

    coco = photos.Store(options.packed, options.unpacked, "coco",
                        known(coco_captions["train"], True), device, options.chunks)
    flickr = photos.Store(options.packed, options.unpacked, "flickr",
                          known(flickr_captions, False), device, options.chunks)
    coco.wait()
    flickr.wait()
    tests, _ = photos.held_out(options.packed, options.unpacked, device, options.tests)
    model = make_model(options, len(captions.tokens)).to(device,
                                                         memory_format=torch.channels_last)
    print(f"captioner: {sum(p.numel() for p in model.parameters())} parameters, "
          f"{len(captions.tokens)} tokens", flush=True)
    batches = CaptionBatches(coco, flickr, options.batch, options.flickr, SIDE, cells_of(SIDE),
                             CLASSES)

    ways = {"greedy": lambda model, picture: speaking.greedy(model, picture, captions.end),
            f"{BEAMS} beams": lambda model, picture: speaking.beam_search(
                model, picture, captions.end, BEAMS, NO_REPEAT)}
    best = [-1.0]       # the first is the best so far, whatever it says

    def check(model):
        """Keeps the best model so far, by what it says with beams."""
        told = {name: measure(model, say, tests, captions, coco_captions["val"])
                for name, say in ways.items()}
        worth = told[f"{BEAMS} beams"]["CIDEr"]
        if worth > best[0]:
            best[0] = worth
            save(model)
        return "; ".join(f"{name}: " + ", ".join(f"{key} {value:.3f}" for key, value
                                                 in result.items())
                         for name, result in told.items())

    def save(model):
        common.save_checkpoint(model, common.checkpoint_of(options))
        final = copy.deepcopy(model)
        final.settle()
        write = save_show_attend_tell if options.model == "2015" else save_hybrid_captioner
        write(final, options.output, captions, num_beams=BEAMS, no_repeat_ngram_size=NO_REPEAT)

    if options.sentences:
        consensus = speaking.Consensus(*batches.every(), len(captions.tokens), captions.end)
        loss = lambda model, batch: speaking.sentence_loss(
            model, batch, captions.end, consensus, options.samples, options.share)
    else:
        loss = lambda model, batch: speaking.word_loss(model, batch, captions.end,
                                                       options.smoothing, options.forgotten)
    compiled = ((vit.Block, "forward"), (captioner.CaptionerBlock, "forward"),
                (rt_detr.ResNetD, "forward"), (hybrid_captioner.Eye, "fuse"),
                (photos, "recolour"), (photos, "cover"))
    train(model, batches, loss, options.seconds, rate=options.rate, muon_rate=options.muon_rate,
          check=check, checks=options.checks, compiled=() if options.eager else compiled)


if __name__ == "__main__":
    main()
