"""What the training commands have in common."""
import argparse
import pathlib

import torch

from backgrounds import load_photographs
from scenes import HEIGHT, WIDTH, SceneBuffer, Scenes

PRETRAINED = pathlib.Path(__file__).resolve().parent.parent


def parser(description, seconds, output):
    result = argparse.ArgumentParser(description=description.split("\n")[0])
    result.add_argument("--emoji", default="emoji.npz", help="what draw_emoji.py wrote")
    result.add_argument("--photographs", default="photographs",
                        help="folder with train/ and test/, pictures without emoji")
    result.add_argument("--seconds", type=float, default=seconds, help="of training")
    result.add_argument("--batch", type=int, default=256)
    result.add_argument("--fresh", type=int, default=32, help="new scenes a batch")
    result.add_argument("--buffer", type=int, default=100_000, help="older scenes kept on the GPU")
    result.add_argument("--tests", type=int, default=2048, help="scenes to check progress on")
    result.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    result.add_argument("--start", help="folder of an earlier training to go on from")
    result.add_argument("-o", "--output", default=PRETRAINED / output)
    return result


def training_batches(options, style):
    """A function that returns the next batch of training scenes."""
    torch.set_float32_matmul_precision("high")
    scenes = scenes_of(options, "train", style, compiled=options.device == "cuda")
    return SceneBuffer(scenes, options.batch, options.fresh, options.buffer)


def scenes_of(options, part, style, compiled=False):
    photographs = load_photographs(f"{options.photographs}/{part}", WIDTH, HEIGHT)
    return Scenes(options.emoji, photographs, style, options.device, compiled)
