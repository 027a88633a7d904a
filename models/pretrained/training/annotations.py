"""Boxes and captions out of the annotations that COCO publishes, as tables.

    python3 annotations.py coco instances_train2017.json captions_train2017.json
    python3 annotations.py tables boxes.json.gz coco_captions.tsv.gz -o annotations

Writes boxes.json.gz and coco_captions.tsv.gz. The pictures to measure on are those of held_out.txt.
Captions to train on say "person" where a picture cannot tell more (persons.py).
"""
import argparse
import collections
import gzip
import json
import pathlib

import persons

UNITS = 1024            # of a picture's side: what boxes are counted in
HELD_OUT = pathlib.Path(__file__).parent / "held_out.txt"


def held_out():
    return [int(line) for line in HELD_OUT.read_text().split()]


def boxes_table(instances):
    """{"categories": {id: name}, "val": [ids], "boxes": {id: [[category, x, y, w, h]]}}, without
    boxes around crowds."""
    size = {image["id"]: (image["width"], image["height"]) for image in instances["images"]}
    boxes = {}
    for one in instances["annotations"]:
        if one["iscrowd"]:
            continue
        width, height = size[one["image_id"]]
        x, y, w, h = one["bbox"]
        low = [round(x / width * UNITS), round(y / height * UNITS)]
        high = [round((x + w) / width * UNITS), round((y + h) / height * UNITS)]
        extent = [max(1, high[0] - low[0]), max(1, high[1] - low[1])]
        boxes.setdefault(one["image_id"], []).append([one["category_id"], *low, *extent])
    return dict(categories={one["id"]: one["name"] for one in instances["categories"]},
                val=held_out(), boxes=boxes)


def caption_lines(captions, measured):
    """(picture, part, caption) of every caption of COCO."""
    measured = set(measured)
    for one in captions["annotations"]:
        part = "val" if one["image_id"] in measured else "train"
        yield one["image_id"], part, one["caption"]


def told_lines(lines, boxes):
    """The same, but captions to train on say "person" where a picture cannot tell more, see
    persons.py. boxes as in boxes_table."""
    person = {key for key, name in boxes["categories"].items() if name == "person"}
    lines = list(lines)
    texts = collections.defaultdict(list)
    for picture, _, text in lines:
        texts[picture].append(text)
    for picture, part, text in lines:
        sides = [max(box[3:]) / UNITS for box in boxes["boxes"].get(picture, [])
                 if box[0] in person]
        doubt = part == "train" and persons.cannot_be_told(texts[picture], sides)
        yield picture, part, persons.neutral(text) if doubt else text


def write_lines(file, lines):
    with gzip.open(file, "wt", encoding="utf-8") as out:
        for picture, part, caption in lines:
            out.write(f"{picture}\t{part}\t{' '.join(caption.split())}\n")


def read_boxes(file):
    """What boxes_table made, with numbers for keys again."""
    with gzip.open(file, "rt") as stored:
        table = json.load(stored)
    numbered = lambda part: {int(key): value for key, value in table[part].items()}
    return dict(categories=numbered("categories"), val=table["val"], boxes=numbered("boxes"))


def read_lines(file):
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            picture, part, text = line.rstrip("\n").split("\t")
            yield int(picture), part, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("form", choices=("coco", "tables"), help="of what there is: as COCO "
                        "publishes it, or tables whose captions are still as people said them")
    parser.add_argument("boxes", help="instances_train2017.json, or boxes.json.gz")
    parser.add_argument("captions", help="captions_train2017.json, or coco_captions.tsv.gz")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.form == "tables":
        table, lines = read_boxes(options.boxes), list(read_lines(options.captions))
    else:
        with open(options.boxes) as instances, open(options.captions) as captions:
            table = boxes_table(json.load(instances))
            lines = list(caption_lines(json.load(captions), table["val"]))
    write_lines(options.output / "coco_captions.tsv.gz", told_lines(lines, table))
    with gzip.open(options.output / "boxes.json.gz", "wt") as out:
        json.dump(table, out)


if __name__ == "__main__":
    main()
