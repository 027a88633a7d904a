"""Byte-level BPE as GPT-2 has it: learning it, and the files that transformers reads."""
import collections
import json
import pathlib
import re

END = "<|endoftext|>"               # starts a caption, too
SPACE = "\u0120"                    # how GPT-2 writes a leading space
PIECES = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+")


class Tokenizer:
    """Tokens for texts that were cut into pieces, {piece: how often}; what merges made of the most
    frequent ones are one token each."""

    def __init__(self, pieces, merges=None):
        self.merges = learn_merges(pieces, merges)
        tokens = sorted(byte_letters()) + ["".join(pair) for pair in self.merges] + [END]
        self.tokens = list(dict.fromkeys(tokens))
        self.ids = {token: index for index, token in enumerate(self.tokens)}
        self.rank = {pair: index for index, pair in enumerate(self.merges)}
        self.end = self.ids[END]
        self.known = {}             # pieces that were merged before

    def encode(self, text):
        """Of ASCII text; words have a space before them, the first one too."""
        return [self.ids[token] for piece in cut(text) for token in self.merged(piece)]

    def merged(self, piece):
        if piece in self.known:
            return self.known[piece]
        parts = list(piece)
        while len(parts) > 1:
            best = min(zip(parts, parts[1:]), key=lambda pair: self.rank.get(pair, 1 << 30))
            if best not in self.rank:
                break
            parts = merge(parts, best)
        self.known[piece] = parts
        return parts

    def text(self, ids):
        """The text of a list of ids that begins with the start token."""
        words = []
        for token in ids[1:]:
            if token == self.end:
                break
            words.append(self.tokens[token])
        return "".join(words).replace(SPACE, " ").strip()

    def save(self, folder, length):
        """In the files that transformers reads."""
        folder = pathlib.Path(folder)
        level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True,
                 "use_regex": True}
        end = {"id": self.end, "content": END, "single_word": False, "lstrip": False,
               "rstrip": False, "normalized": True, "special": True}
        write_json(folder / "vocab.json", self.ids)
        (folder / "merges.txt").write_text(
            "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in self.merges))
        write_json(folder / "tokenizer.json", {
            "version": "1.0", "truncation": None, "padding": None, "added_tokens": [end],
            "normalizer": None, "pre_tokenizer": level, "post_processor": level, "decoder": level,
            "model": {"type": "BPE", "dropout": None, "unk_token": None,
                      "continuing_subword_prefix": "", "end_of_word_suffix": "",
                      "fuse_unk": False, "byte_fallback": False, "vocab": self.ids,
                      "merges": [list(pair) for pair in self.merges]}})
        write_json(folder / "tokenizer_config.json", {
            "tokenizer_class": "GPT2Tokenizer", "add_prefix_space": True, "bos_token": END,
            "eos_token": END, "unk_token": END, "pad_token": END, "model_max_length": length})


def cut(text):
    """ASCII text into the pieces that GPT-2 cuts it into, with a space before the first."""
    return [piece.replace(" ", SPACE) for piece in PIECES.findall(" " + text.strip())]


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False) + "\n")


def byte_letters():
    """The letters by which GPT-2 writes the 256 bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(byte) for byte in plain] + [chr(256 + index) for index in range(256 - len(plain))]


def merge(parts, pair):
    merged, index = [], 0
    while index < len(parts):
        if tuple(parts[index:index + 2]) == pair:
            merged.append("".join(pair))
            index += 2
        else:
            merged.append(parts[index])
            index += 1
    return merged


def learn_merges(pieces, most=None):
    """The most frequent pair of neighbours becomes one, and so on until every piece is one token
    or there are `most` merges. pieces {piece: how often}."""
    split = {piece: list(piece) for piece in pieces}
    pairs, where = collections.Counter(), collections.defaultdict(set)

    def count(piece, sign):
        for pair in zip(split[piece], split[piece][1:]):
            pairs[pair] += sign * pieces[piece]
            where[pair].add(piece)

    for piece in sorted(split):
        count(piece, 1)
    merges = []
    while len(merges) != most:
        best = max(pairs, key=lambda pair: (pairs[pair], pair), default=None)
        if best is None or pairs[best] == 0:
            break
        merges.append(best)
        for piece in where.pop(best):
            count(piece, -1)
            split[piece] = merge(split[piece], best)
            count(piece, 1)
        del pairs[best]
    return merges
