"""What the training commands have in common."""
import argparse
import pathlib

import torch

from backgrounds import load_photographs
from scenes import SIZE, SceneBuffer, Scenes

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


def training_batches(options, style, size=SIZE):
    """A function that returns the next batch of training scenes."""
    torch.set_float32_matmul_precision("high")
    scenes = scenes_of(options, "train", style, size, compiled=options.device == "cuda")
    return SceneBuffer(scenes, options.batch, options.fresh, options.buffer)


def scenes_of(options, part, style, size=SIZE, compiled=False):
    photographs = load_photographs(f"{options.photographs}/{part}", *size)
    return Scenes(options.emoji, photographs, style, options.device, size, compiled)


def photo_parser(description, seconds, output=None, batch=256):
    result = argparse.ArgumentParser(description=description.split("\n")[0])
    result.add_argument("--packed", default="packed", help="what pack_photos.py wrote")
    result.add_argument("--unpacked", default="unpacked", help="what photos.py made of it")
    result.add_argument("--chunks", type=int, default=100, help="to train on, at most")
    result.add_argument("--seconds", type=float, default=seconds, help="of training")
    result.add_argument("--batch", type=int, default=batch)
    result.add_argument("--tests", type=int, help="pictures to check progress on; all of them")
    result.add_argument("--checks", type=int, default=6, help="how often; of several stages, each")
    result.add_argument("--rate", type=float, default=1e-3)
    result.add_argument("--muon-rate", type=float, default=0.01)
    result.add_argument("--eager", action="store_true", help="compile nothing")
    result.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    result.add_argument("--start", help="checkpoint of an earlier training to go on from")
    result.add_argument("--checkpoint", help="file for the training to be gone on from; beside the "
                        "output")
    result.add_argument("-o", "--output", default=PRETRAINED / output if output else None)
    return result


def checkpoint_of(options):
    return pathlib.Path(options.checkpoint or f"{options.output}.pt")


def save_checkpoint(model, file):
    """All weights, those for training alone included, in half precision."""
    half = {key: value.half() if value.is_floating_point() else value
            for key, value in model.state_dict().items()}
    beside = file.with_suffix(".part")
    torch.save(half, beside)
    beside.rename(file)


def load_checkpoint(model, file):
    """What fits: parts of another shape stay as they were initialised, and are named."""
    own, stored = model.state_dict(), torch.load(file, map_location="cpu")
    for key, value in own.items():
        if key in stored and stored[key].shape == value.shape:
            value.copy_(stored[key])
        else:
            print(f"  {file}: {key} does not fit", flush=True)
