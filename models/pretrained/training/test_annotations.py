"""The tables that annotations.py makes, from annotations as COCO and Flickr8k publish them."""
import pathlib
import tempfile
import unittest

import annotations
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

    def test_flickr_tells_its_tests_from_the_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            tokens, tests = pathlib.Path(folder) / "tokens", pathlib.Path(folder) / "tests"
            tokens.write_text("a.jpg#0\tOne .\na.jpg#1\tTwo .\nb.jpg#0\tThree .\n")
            tests.write_text("b.jpg\n")
            lines = list(annotations.flickr_lines(tokens, tests))
        self.assertEqual(lines, [("a.jpg", "train", "One ."), ("a.jpg", "train", "Two ."),
                                 ("b.jpg", "test", "Three .")])


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
