r"""Trains a captioner on photographs, from a detector's ViT, and writes its folder.

    python3 train_photo_detector.py --model yolos --width 224 --layers 9 --tokens 64 \
        --seconds 400 -o photo-vit
    python3 train_photo_captioner.py --vit photo-vit
"""
import torch

import captioner
import options as common
import photos
import vit
from caption_metrics import summary
from captioner import Captioner
from folders import load_vit, save_captioner
from photo_captions import LENGTH, CaptionBatches, PhotoCaptions, read, said
from train_photo_detector import CLASSES, cells_of
from trainer import train

LAYERS, DECODER_LAYERS, SIDE = 9, 3, 256
BEAMS = 3               # when it is used; progress is checked without


def main():
    parser = common.photo_parser(__doc__, seconds=78, output="photo-captioner", batch=256)
    parser.add_argument("--annotations", default=".", help="folder of coco_captions.tsv.gz and "
                        "flickr8k_captions.tsv.gz")
    parser.add_argument("--vit", default=common.PRETRAINED / "photo-vit",
                        help="folder of a detector of --model yolos")
    parser.add_argument("--flickr", type=float, default=0.2, help="share of Flickr8k in a batch")
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--smoothing", type=float, default=0.1)
    options = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    device = options.device
    coco_captions = read(f"{options.annotations}/coco_captions.tsv.gz")
    flickr_captions = read(f"{options.annotations}/flickr8k_captions.tsv.gz")["train"]
    every = [*coco_captions["train"].values()]
    if options.flickr:
        every += flickr_captions.values()
    captions = PhotoCaptions([text for texts in every for text in texts])

    def known(of, boxes):
        def annotate(packed):
            ids, number = captions.table(packed["ids"].tolist(), of)
            boxed = photos.boxes_known(packed) if boxes else {}
            return dict(ids=ids, captions=number, **boxed)
        return annotate

    coco = photos.Store(options.packed, options.unpacked, "coco",
                        known(coco_captions["train"], True), device, options.chunks)
    coco.wait()
    flickr = None
    if options.flickr:
        flickr = photos.Store(options.packed, options.unpacked, "flickr",
                              known(flickr_captions, False), device, options.chunks)
        flickr.wait()
    tests, _ = photos.held_out(options.packed, options.unpacked, device, options.tests)

    model = Captioner(load_vit(options.vit, LAYERS, (SIDE, SIDE)), len(captions.tokens),
                      DECODER_LAYERS, LENGTH, CLASSES, options.dropout)
    if options.start:
        common.load_checkpoint(model, options.start)
    model = model.to(device)
    print(f"captioner: {sum(p.numel() for p in model.parameters())} parameters, "
          f"{len(captions.tokens)} tokens", flush=True)

    @torch.no_grad()
    def check(model):
        texts, references = [], []
        for scene in tests:
            with torch.autocast(torch.device(device).type, dtype=torch.bfloat16,
                                enabled=device == "cuda"):
                ids = model.caption(scene["picture"], captions.end)
            texts += [captions.text(row) for row in ids.tolist()]
            references += [coco_captions["val"][str(key)] for key in scene["id"].tolist()]
        print("   ", "; ".join(texts[:6]), flush=True)
        return ", ".join(f"{name} {value:.3f}" for name, value in
                         summary(texts, references).items())

    def save(model):
        common.save_checkpoint(model, common.checkpoint_of(options))
        save_captioner(model, options.output, captions, BEAMS)

    batches = CaptionBatches(coco, flickr, options.batch, options.flickr, SIDE,
                             cells_of(model), CLASSES)
    loss = lambda model, batch: model.loss(batch, lambda scene: said(scene, captions.end),
                                           options.smoothing)
    compiled = ((vit.Block, "forward"), (captioner.CaptionerBlock, "forward"),
                (photos, "recolour"), (photos, "cover"))
    train(model, batches, loss, options.seconds, rate=options.rate, muon_rate=options.muon_rate,
          check=check, checks=options.checks, compiled=() if options.eager else compiled,
          save=save)


if __name__ == "__main__":
    main()
