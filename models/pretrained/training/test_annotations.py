"""The tables that annotations.py makes, from annotations as COCO publishes them."""
import gzip
import json
import pathlib
import tempfile
import unittest

import torch

import annotations
import persons
import photo_captions
import tags


def instances(*boxes):
    return dict(images=[dict(id=7, width=640, height=480), dict(id=42, width=100, height=200)],
                categories=[dict(id=1, name="person"), dict(id=18, name="dog")],
                annotations=[dict(image_id=image, category_id=category, bbox=box, iscrowd=crowd)
                             for image, category, box, crowd in boxes])


class Annotations(unittest.TestCase):
    def test_boxes_are_counted_in_parts_of_the_picture(self):
        table = annotations.boxes_table(instances((7, 18, [160, 120, 320, 60], 0)))
        self.assertEqual(table["boxes"], {7: [[18, 256, 256, 512, 128]]})
        self.assertEqual(table["categories"], {1: "person", 18: "dog"})

    def test_crowds_are_left_out_and_nothing_is_without_extent(self):
        table = annotations.boxes_table(instances((42, 1, [0, 0, 50, 50], 1),
                                                  (42, 1, [10, 10, 0.01, 0.01], 0)))
        self.assertEqual(table["boxes"], {42: [[1, 102, 51, 1, 1]]})

    def test_pictures_to_measure_on_are_known(self):
        ids = annotations.held_out()
        self.assertEqual(len(ids), 2191)
        self.assertEqual(len(set(ids)), 2191)
        self.assertIn(42, ids)

    def test_captions_come_back_as_they_were(self):
        captions = dict(annotations=[dict(image_id=42, caption="A dog\nsleeps. "),
                                     dict(image_id=7, caption="Two\tpeople.")])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "captions.tsv.gz"
            annotations.write_lines(file, annotations.caption_lines(captions, [42]))
            parts = photo_captions.read(file)
        self.assertEqual(parts["val"], {"42": ["A dog sleeps."]})
        self.assertEqual(parts["train"], {"7": ["Two people."]})

    def test_training_captions_say_person_where_a_picture_cannot_tell(self):
        lines = [(7, "train", "A man rides."), (42, "train", "A girl and her dog."),
                 (9, "val", "A man far away.")]
        boxes = dict(categories={1: "person", 18: "dog"}, boxes={
            7: [[1, 0, 0, 200, 255], [18, 0, 0, 1024, 1024]], 42: [[1, 0, 0, 100, 256]],
            9: [[1, 0, 0, 10, 10]]})
        self.assertEqual(list(annotations.told_lines(lines, boxes)), [
            (7, "train", "A person rides."), (42, "train", "A girl and her dog."),
            (9, "val", "A man far away.")])

    def test_tables_come_back_as_they_were(self):
        table = annotations.boxes_table(instances((7, 1, [0, 0, 64, 48], 0)))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "boxes.json.gz"
            with gzip.open(file, "wt") as out:
                json.dump(table, out)
            self.assertEqual(annotations.read_boxes(file), table)


class Persons(unittest.TestCase):
    def test_captions_that_contradict_each_other_about_one_person_do_not_tell(self):
        self.assertTrue(persons.cannot_be_told(["A man.", "A woman.", "Someone."], [0.9]))
        self.assertFalse(persons.cannot_be_told(["A man.", "A man."], [0.9]))
        self.assertFalse(persons.cannot_be_told(["A man.", "A woman."], [0.9, 0.5]))
        self.assertFalse(persons.cannot_be_told(["A man and a woman.", "A woman."], [0.9]))

    def test_the_largest_person_decides(self):
        self.assertTrue(persons.cannot_be_told(["A man."], [0.2, 0.24]))
        self.assertFalse(persons.cannot_be_told(["A man."], [0.2, 0.25]))
        self.assertFalse(persons.cannot_be_told(["A man on a poster."], []))

    def test_whole_words_alone_change(self):
        self.assertEqual(persons.neutral("Women and a man's snowman with his boys"),
                         "people and a person's snowman with their children")
        self.assertEqual(persons.neutral("A man and a woman with men and women"),
                         "two people with people")

    def test_a_sentence_is_wrong_that_names_the_other_sex(self):
        tokenizer = photo_captions.PhotoCaptions(["a man", "a woman", "a person"] * 3)
        ids = lambda *texts: torch.from_numpy(tokenizer.table([1], {"1": list(texts)})[0]).long()
        sexes = persons.Sexes(tokenizer, "cpu")
        wrong = lambda said, *texts: float(sexes.wrong(ids(said)[:, 0], ids(*texts))[0])
        self.assertEqual(wrong("a man", "a woman", "a person"), 1)
        self.assertEqual(wrong("a woman", "a man"), 1)
        self.assertEqual(wrong("a man", "a man"), 0)
        self.assertEqual(wrong("a man", "a woman", "a man"), 0)
        self.assertEqual(wrong("a person", "a man"), 0)
        self.assertEqual(wrong("a man a woman", "a man"), 0)


class Tags(unittest.TestCase):
    def test_words_and_phrases_stand_for_tags(self):
        captions = {"7": ["A close up of snowy trees.", "Two people ride skis."], "8": ["A dog"]}
        named, captioned = tags.table([7, 8, 9], captions)
        self.assertEqual({tags.TAGS[index] for index in named[0].nonzero()[0]},
                         {"close-up", "snow", "trees", "riding"})
        self.assertFalse(named[1:].any())
        self.assertEqual(captioned.tolist(), [True, True, False])

    def test_a_phrase_stands_for_one_tag(self):
        self.assertEqual(len(tags.WORDS), sum(len(tags.spoken(tag)) for tag in tags.TAGS))
        self.assertGreaterEqual(len(tags.TAGS), 100)


if __name__ == "__main__":
    unittest.main()
