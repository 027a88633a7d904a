"""The mean of the weights of folders whose trainings went apart late: one model, often a better one.

    python3 average.py FOLDER FOLDER -o FOLDER

All else is the first folder's. Needs NumPy alone.
"""
import argparse
import json
import pathlib
import shutil

import numpy as np


def read(folder):
    """The header of model.safetensors, and everything behind it."""
    stored = (folder / "model.safetensors").read_bytes()
    end = 8 + int.from_bytes(stored[:8], "little")
    return stored[:end], stored[end:]


def tensors(header, body):
    """What is in half precision, by name: places in the body, and values."""
    for name, about in json.loads(header[8:]).items():
        if about.get("dtype") == "F16":
            place = slice(*about["data_offsets"])
            yield name, place, np.frombuffer(body[place], np.float16).astype(np.float64)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    (header, first), *others = [read(folder) for folder in options.folders]
    sums = {name: (place, value) for name, place, value in tensors(header, first)}
    for folder, (other, body) in zip(options.folders[1:], others):
        found = {name: value for name, _, value in tensors(other, body)}
        if {name: len(value) for name, value in found.items()} != {
                name: len(value) for name, (_, value) in sums.items()}:
            raise SystemExit(f"{folder}: not a model of the same form as {options.folders[0]}")
        for name, value in found.items():
            sums[name][1][:] += value
    mean = bytearray(first)
    for place, value in sums.values():
        mean[place] = (value / len(options.folders)).astype(np.float16).tobytes()
    shutil.copytree(options.folders[0], options.output, dirs_exist_ok=True)
    (options.output / "model.safetensors").write_bytes(header + mean)


if __name__ == "__main__":
    main()
