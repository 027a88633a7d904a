"""Boxes and captions out of the annotations that COCO and Flickr8k publish, as tables.

    python3 annotations.py coco   instances_train2017.json captions_train2017.json
    python3 annotations.py flickr Flickr8k.token.txt Flickr_8k.testImages.txt

Writes boxes.json.gz and coco_captions.tsv.gz, or flickr8k_captions.tsv.gz. The pictures of COCO to
measure on are those of held_out.txt.
"""
import argparse
import gzip
import json
import pathlib

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


def flickr_lines(token_file, test_file):
    """The same of Flickr8k: lines of picture#number, tab, caption."""
    tests = set(pathlib.Path(test_file).read_text().split())
    for line in pathlib.Path(token_file).read_text(encoding="utf-8").splitlines():
        numbered, caption = line.split("\t")
        picture = numbered.split("#")[0]
        yield picture, "test" if picture in tests else "train", caption


def write_lines(file, lines):
    with gzip.open(file, "wt", encoding="utf-8") as out:
        for picture, part, caption in lines:
            out.write(f"{picture}\t{part}\t{' '.join(caption.split())}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("set", choices=("coco", "flickr"))
    parser.add_argument("first", help="instances_train2017.json, or Flickr8k.token.txt")
    parser.add_argument("second", help="captions_train2017.json, or Flickr_8k.testImages.txt")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.set == "flickr":
        write_lines(options.output / "flickr8k_captions.tsv.gz",
                    flickr_lines(options.first, options.second))
        return
    with open(options.first) as instances, open(options.second) as captions:
        table = boxes_table(json.load(instances))
        write_lines(options.output / "coco_captions.tsv.gz",
                    caption_lines(json.load(captions), table["val"]))
    with gzip.open(options.output / "boxes.json.gz", "wt") as out:
        json.dump(table, out)


if __name__ == "__main__":
    main()
