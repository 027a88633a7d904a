"""What captions say of people's sex: where a picture cannot tell it, and where it is said wrongly.

Captions to train on say "person" where those of a picture contradict each other about its only
person, and where people are so small that no face can be seen.
"""
import re

import torch

from tokenizer import SPACE

MALE = {"man": "person", "men": "people", "guy": "person", "guys": "people", "gentleman": "person",
        "gentlemen": "people", "boy": "child", "boys": "children", "he": "the person",
        "him": "them", "his": "their", "himself": "themselves"}
FEMALE = {"woman": "person", "women": "people", "lady": "person", "ladies": "people",
          "girl": "child", "girls": "children", "she": "the person", "her": "their",
          "hers": "theirs", "herself": "themselves"}
NEUTRAL = {**MALE, **FEMALE}
SMALL = 0.25            # of the picture's side: of 64 pixels the head is about 9


def pattern(words):
    return re.compile(r"\b(" + "|".join(words) + r")\b", re.IGNORECASE)


OF_MALE, OF_FEMALE, OF_EITHER = pattern(MALE), pattern(FEMALE), pattern(NEUTRAL)


def neutral(text):
    text = OF_EITHER.sub(lambda word: NEUTRAL[word[0].lower()], text)
    text = re.sub(r"\ban? person and an? person\b", "two people", text, flags=re.IGNORECASE)
    return re.sub(r"\bpeople and people\b", "people", text)


def cannot_be_told(texts, sides):
    """Whether the sex of the people in a picture is in doubt, by its captions and by the longer side
    of each person's box, 0..1."""
    said = {(bool(OF_MALE.search(text)), bool(OF_FEMALE.search(text))) for text in texts}
    contradicts = len(sides) <= 1 and {(True, False), (False, True)} <= said
    return contradicts or (bool(sides) and max(sides) < SMALL)


class Sexes:
    """Which sentences of ids name a man or a woman. Words of several tokens are not known."""

    def __init__(self, tokenizer, device):
        self.male, self.female = (
            torch.tensor([token.removeprefix(SPACE) in words for token in tokenizer.tokens],
                         device=device) for words in (MALE, FEMALE))

    def wrong(self, ids, references):
        """1 where a sentence (batch, length) names one sex alone, and the references (batch,
        captions, length) the other alone."""
        ours, theirs = ([table[some].flatten(1).any(1) for table in (self.male, self.female)]
                        for some in (ids, references))
        one = ours[0] ^ ours[1]
        return (one & (theirs[0] ^ theirs[1]) & (ours[0] != theirs[0])).float()
