#!/usr/bin/env python3
"""make_golden.py OUT.json [FOLDER]: what Hugging Face transformers' tokenizers make of the tokenizers in the folders
beside this file (or under FOLDER): token ids of awkward texts, and texts of token ids. Needs transformers."""
import json
import pathlib
import random
import sys

import tokenizers
import transformers

OUT = pathlib.Path(sys.argv[1])
HERE = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else __file__).resolve()
HERE = HERE if HERE.is_dir() else HERE.parent

TEXTS = [
    # contractions and apostrophes
    "I'm here, it's we've they're I'd he'll don't", "'s 't 're 've 'm 'll 'd", "IT'S DON'T", "''s '''t a'b", " 's", "rock 'n' roll",
    "the woman's dogs' bat", "l'eure d'or", "it\u2019s \u2018quoted\u2019 \u201cso\u201d",
    # white space
    "", " ", "  ", "a", " a", "a ", "  a  ", "a  b", "a   b\n", "\n", "\n\n", "a\nb", "a\n\nb", "a \n b", "\ta\t\tb", "a\r\nb", "a\x0b\x0cb",
    "a\u00a0b", "a\u00a0\u00a0b", "a \u00a0b", "a\u2003b\u3000c", "a\u2028b\u2029c", "a\u0085b", "a\u200bb", "a\u00adb", "\ufeffa", "a\u001cb\u001fc",
    # digits and signs
    "123", "a1b2", "3.14", "1,000,000", "x\u00b2 \u00bd \u2460 \u0664\u0665", "50% off!!!", "...", "?!?!", "a.b,c;d:e", "(a) [b] {c}", "a--b \u2013 \u2014",
    "$5 \u20ac5 \u00a35", "e-mail@x.org", "#1 & #2", "a_b", "<|endoftext|>", "a<|endoftext|>b", "a <|endoftext|> b", "<|endoftext|><|endoftext|>",
    "[MASK]", "a [MASK] b", "a[SEP]b", "[cls] [CLS]", "[DEC] a", "[ENC]", "##s", "a ##s", "\\ / | ~ ` ^",
    # scripts
    "Caf\u00e9 cafe\u0301 na\u00efve", "\u00c0\u00c9\u00ce\u00d5\u00dc \u00df \u00d8 \u0141\u0130", "\u1e9e \ufb01", "Vi\u1ec7t Nam", "\u0391\u0392\u0393\u03a3\u03c2 \u03ac\u03ad",
    "\u0414\u0435\u0439 \u0439\u0451 \u0456\u0457", "\u05e9\u05dc\u05d5\u05dd \u05e9\u05c1\u05b8", "\u0645\u0631\u062d\u0628\u0627 \u064e", "\u4e00\u4e8c\u4eba", "a\u4e2d\u56fdb", "\u6f22\u5b57\u3068\u304b\u306a\u30ab\u30ca\u3072\u3089",
    "\ud55c\uae00", "\u1112\u1161\u11ab", "\u0928\u092e\u0938\u094d\u0924\u0947", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\u304c\u304b\u3099", "\uf900\uf901", "\U00020000\U0002a700\U0002b920",
    # emoji and odd characters
    "\U0001f600", "a\U0001f431\U0001f431b", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f44d\U0001f3fd ok", "\u2764\ufe0f", "1\ufe0f\u20e3", "\u00b0C \u2122 \u2026",
    "\ufffd", "a\ufffdb", "\u0000", "a\u0000b", "\u0001\u007f", "\ue000\uf8ff", "\U000e0001", "\U0010ffff", "\u0378", "\u0301", "a\u0301\u0301", "e\u0323\u0301",
    # captions
    "two cats sleeping on a couch next to remotes.", "a red apple above a dog , and no airplanes", "a man holding an umbrella; \"hello world\" (is it?)",
    "skateboarding unaffable snowboards", "Hello World HELLO Hello", "do not", "a man is playing baseball, isn't he?",
    # added tokens
    "ice cream", "an Ice Cream!", "ICE CREAMS", "tea  time", "teas tea", "steak tea.",
    # long words
    "a" * 99, "a" * 100, "a" * 101, "b" * 300, " " * 40 + "a", "-" * 130, "\u00e9" * 60, "\u4e00" * 20,
]

result = {"transformers": transformers.__version__, "tokenizers": tokenizers.__version__, "folders": {}}
for folder in sorted(p for p in HERE.iterdir() if p.is_dir()):
    kind = "Bert" if folder.name.startswith("wordpiece") else "GPT2"
    tokenizer = getattr(transformers, kind + "Tokenizer").from_pretrained(folder)

    def decoded(ids):
        return {
            "ids": ids,
            "text": tokenizer.decode(ids, skip_special_tokens=True),
            "all": tokenizer.decode(ids, skip_special_tokens=False),
            "clean": tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=True),
        }

    size = len(tokenizer)
    dice = random.Random(1)
    sequences = [[dice.randrange(size) for _ in range(dice.randint(1, 12))] for _ in range(60)]
    sequences += [[size + 5], [0, size, 1], []]
    roles = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")
    result["folders"][folder.name] = {
        "class": type(tokenizer).__name__,
        "size": size,
        "special": {r: getattr(tokenizer, r + "_token_id") for r in roles if getattr(tokenizer, r + "_token_id") is not None},
        "special_ids": sorted(set(tokenizer.all_special_ids)),
        "texts": [{"from": text, "plain": tokenizer.encode(text, add_special_tokens=False), **decoded(tokenizer.encode(text))} for text in TEXTS],
        "sequences": [decoded(ids) for ids in sequences],
        "pieces": [tokenizer.decode([i]) for i in range(size)],
    }
OUT.write_text(json.dumps(result, ensure_ascii=True, indent=None, separators=(",", ":")) + "\n")
