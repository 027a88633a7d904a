"""The metrics against values worked out by hand: python3 -m unittest test_metrics"""
import math
import unittest

import numpy as np
import torch

import certainty
from caption_metrics import bleu, cider, commonest, words_of
from label_metrics import average_precisions, pointing
from metrics import Detections
from speaking import Consensus


def scene(*objects):
    """One picture; objects are (label, x, y, w, h) with corners in tenths of the picture."""
    box = torch.tensor([[(x + w / 2) / 10, (y + h / 2) / 10, w / 10, h / 10]
                        for _, x, y, w, h in objects]).view(1, -1, 4)
    return dict(label=torch.tensor([[label for label, *_ in objects]]).view(1, -1), box=box,
                valid=torch.ones(1, len(objects), dtype=torch.bool))


def answers(*detections, classes=2):
    """Detections (label, score, x, y, w, h) as logits and boxes."""
    shown = scene(*[(label, *box) for label, _, *box in detections])
    logits = torch.full((1, len(detections), classes + 1), -30.0)
    for index, (label, score, *_) in enumerate(detections):
        logits[0, index, label] = math.log(score)
        logits[0, index, classes] = math.log(1 - score)
    return logits, shown["box"]


class AveragePrecision(unittest.TestCase):
    def table(self, truth, *found, smallest=0.0):
        result = Detections(2, smallest)
        result.add(*answers(*found), scene(*truth))
        return result.table()

    def test_found_exactly_is_one(self):
        table = self.table([(0, 1, 1, 3, 3)], (0, 0.9, 1, 1, 3, 3))
        self.assertTrue((table[0] == 1).all())
        self.assertTrue(all(math.isnan(value) for value in table[1]))   # no such object

    def test_a_better_scored_false_alarm_halves_it(self):
        table = self.table([(0, 1, 1, 3, 3)], (0, 0.9, 6, 6, 3, 3), (0, 0.8, 1, 1, 3, 3))
        self.assertAlmostEqual(table[0, 0], 0.5)

    def test_a_worse_scored_false_alarm_costs_nothing(self):
        table = self.table([(0, 1, 1, 3, 3)], (0, 0.8, 6, 6, 3, 3), (0, 0.9, 1, 1, 3, 3))
        self.assertAlmostEqual(table[0, 0], 1.0)

    def test_half_of_the_objects_found_is_51_of_101_recalls(self):
        table = self.table([(0, 1, 1, 3, 3), (0, 6, 6, 3, 3)], (0, 0.9, 1, 1, 3, 3))
        self.assertAlmostEqual(table[0, 0], 51 / 101)

    def test_overlap_counts_up_to_its_threshold(self):
        # 4 x 3 over 4 x 4: intersection over union 0.75, thresholds 0.5 to 0.7, and the brink
        table = self.table([(0, 1, 1, 4, 4)], (0, 0.9, 1, 1, 4, 3.04))
        self.assertEqual(table[0].tolist(), [1.0] * 6 + [0.0] * 4)

    def test_an_object_is_found_once(self):
        # right, wrong, right at recalls 1/2, 1/2, 1: precision 1 up to 0.5, then 2/3
        table = self.table([(0, 1, 1, 3, 3), (0, 6, 6, 3, 3)], (0, 0.9, 1, 1, 3, 3),
                           (0, 0.8, 1, 1, 3, 3), (0, 0.7, 6, 6, 3, 3))
        self.assertAlmostEqual(table[0, 0], (51 + 50 * 2 / 3) / 101)

    def test_the_label_matters(self):
        table = self.table([(0, 1, 1, 3, 3)], (1, 0.9, 1, 1, 3, 3))
        self.assertEqual(table[0, 0], 0)

    def test_small_objects_neither_count_nor_disturb(self):
        truth = [(0, 0, 0, 1, 1), (0, 3, 3, 5, 5)]
        small_found_first = self.table(truth, (0, 0.9, 0, 0, 1, 1), (0, 0.8, 3, 3, 5, 5),
                                       smallest=1 / 3)
        self.assertAlmostEqual(small_found_first[0, 0], 1.0)
        small_alarm = self.table(truth, (0, 0.9, 9, 9, 1, 1), (0, 0.8, 3, 3, 5, 5), smallest=1 / 3)
        self.assertAlmostEqual(small_alarm[0, 0], 1.0)
        large_alarm = self.table(truth, (0, 0.9, 0, 5, 4, 4), (0, 0.8, 3, 3, 5, 5), smallest=1 / 3)
        self.assertAlmostEqual(large_alarm[0, 0], 0.5)


class Captions(unittest.TestCase):
    def test_words_come_apart_as_in_the_treebank(self):
        self.assertEqual(words_of("A man's T-shirt isn't red, is it?"),
                         ["a", "man", "'s", "t-shirt", "is", "n't", "red", "is", "it"])
        self.assertEqual(words_of("Two dogs -- one (black) \"runs\"."),
                         ["two", "dogs", "one", "black", "runs"])

    def test_bleu_clips_repeated_words(self):
        # the example of the paper: 7 times "the", of which a reference holds 2
        said = bleu(["the the the the the the the"],
                    [["the cat is on the mat", "there is a cat on the mat"]])
        self.assertAlmostEqual(said[0], 2 / 7, 5)

    def test_bleu_by_hand(self):
        # 1-grams 5/6, 2-grams 3/5, 3-grams 1/4: "on the mat" alone; 4-grams 0
        one, two, three, four = bleu(["the cat sat on the mat"], [["the cat is on the mat"]])
        self.assertAlmostEqual(one, 5 / 6, 5)
        self.assertAlmostEqual(two, math.sqrt(5 / 6 * 3 / 5), 5)
        self.assertAlmostEqual(three, (5 / 6 * 3 / 5 * 1 / 4) ** (1 / 3), 5)
        self.assertLess(four, 1e-3)

    def test_bleu_punishes_brevity_by_the_nearest_reference(self):
        # 3 words; references of 5 and 12: exp(1 - 5 / 3)
        said = bleu(["a b c"], [["a b c d e", "a b c d e f g h i j k l"]])
        self.assertAlmostEqual(said[0], math.exp(1 - 5 / 3), 5)
        # as near to 2 as to 4 words: the shorter one, and no penalty
        self.assertAlmostEqual(bleu(["a b c"], [["a b", "a b c d"]])[0], 1.0, 5)

    def test_cider_of_copies_is_ten(self):
        texts = ["a dog runs over green grass", "two men ride some tall horses"]
        self.assertEqual([round(score, 6) for score in cider(texts, [[text] for text in texts])],
                         [10, 10])

    def test_cider_of_nothing_common_is_zero(self):
        scores = cider(["one two three four", "x"], [["a b c d"], ["e f g h"]])
        self.assertEqual(scores, [0, 0])

    def test_cider_by_hand(self):
        # Words in every picture tell nothing: "a" has weight 0, all others log 2.
        # "a dog runs" against "a dog sits": of 1-grams dog of {dog, runs} and {dog, sits},
        # 1 / 2; of 2-grams (a dog) of two, 1 / 2; of 3-grams and 4-grams nothing. Lengths agree.
        scores = cider(["a dog runs", "a cat"], [["a dog sits"], ["a cat"]])
        self.assertAlmostEqual(scores[0], 10 * (1 / 2 + 1 / 2) / 4)
        # "a cat": 1-grams {cat}, 2-grams {a cat} agree, there are no longer ones
        self.assertAlmostEqual(scores[1], 10 * 2 / 4)

    def test_cider_falls_with_another_length(self):
        # "big dog" against "big dog big dog big dog": counts are clipped to ours
        scores = cider(["big dog", "x y"], [["big dog big dog big dog"], ["x y"]])
        penalty = math.exp(-(1 - 5) ** 2 / 72)
        one = (1 * 3 + 1 * 3) / (math.sqrt(2) * math.sqrt(18))
        two = (1 * 3 + 0) / (1 * math.sqrt(9 + 4))
        self.assertAlmostEqual(scores[0], 10 * penalty * (one + two) / 4)

    def test_cider_is_the_mean_over_references(self):
        once = cider(["a dog runs", "a cat"], [["a dog runs", "b c d"], ["a cat"]])[0]
        self.assertAlmostEqual(once, 10 * (3 / 4) / 2)

    def test_the_commonest_caption(self):
        self.assertEqual(commonest(["a", "b", "a", "c"]), ("a", 0.5))


class Consensuses(unittest.TestCase):
    def test_ids_are_worth_what_their_words_are(self):
        """What training computes of ids against what is measured of texts, the end being a word."""
        end, names = 5, ["one", "two", "three", "four", "five", "end"]
        references = [[[0, 1, 2, 3], [0, 1, 4]], [[4, 3, 2, 2, 1]], [[1, 1, 1], [0, 3, 0]]]
        said = [[0, 1, 2, 4], [4, 3, 2, 2, 1], [3, 0]]
        row = lambda ids: [end, *ids, *[end] * (8 - len(ids))]
        padded = torch.tensor([[row(ids) for ids in (several + [[]])[:2]]
                               for several in references])
        number = torch.tensor([len(several) for several in references])
        consensus = Consensus(padded, number, len(names), end)
        ours = consensus(torch.tensor([row(ids) for ids in said]), padded, number).tolist()
        text = lambda ids: " ".join(names[index] for index in [*ids, end])
        theirs = cider([text(ids) for ids in said],
                       [[text(ids) for ids in several] for several in references])
        for one, other in zip(ours, theirs):
            self.assertAlmostEqual(one, other, places=4)


class Labels(unittest.TestCase):
    def test_average_precision_goes_by_the_order_of_scores(self):
        score = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]])
        named = np.array([[True, False], [False, False], [True, False]])
        precisions = average_precisions(score, named)
        self.assertAlmostEqual(precisions[0], (1 + 2 / 3) / 2)
        self.assertTrue(math.isnan(precisions[1]))      # no picture has that label

    def test_a_line_makes_scores_as_sure_as_they_are_right(self):
        torch.manual_seed(0)
        logits = torch.randn(4000, 20)
        named = (torch.rand_like(logits) < (0.5 * logits - 1).sigmoid()).float()
        factor, shift = certainty.line_of(logits, named)
        self.assertAlmostEqual(factor, 0.5, delta=0.03)
        self.assertAlmostEqual(shift, -1, delta=0.03)

    def test_the_threshold_is_the_least_that_is_right_often_enough(self):
        score = np.array([0.305, 0.505, 0.705, 0.905])
        self.assertEqual(certainty.threshold_of(score, np.array([False, False, True, True])), 0.51)
        self.assertEqual(certainty.threshold_of(score, np.array([True, True, True, False])), 1.0)

    def test_attention_points_at_the_thing_of_the_highest_score(self):
        cells = torch.tensor([[0.25, 0.5], [0.75, 0.5]])
        logits = torch.full((1, 80), -5.0)
        logits[0, 3] = 2.0
        picture = scene((3, 5, 0, 5, 10), (7, 0, 0, 5, 10))
        right = pointing(torch.tensor([[0.2, 0.8]]), logits, picture, cells)[0]
        wrong = pointing(torch.tensor([[0.8, 0.2]]), logits, picture, cells)[0]
        self.assertEqual(right[1:].tolist(), [1.0, 1.0, 0.5])
        self.assertEqual(wrong[1:].tolist(), [1.0, 0.0, 0.5])


if __name__ == "__main__":
    unittest.main()
