"""How good captions are: CIDEr-D and BLEU as COCO's evaluation computes them.

Both compare n-grams of the words of a caption with those of several references. CIDEr is given on
the customary scale, where people reach about 0.9 and a word-for-word copy 10.
"""
import collections
import math
import re

ORDERS = 4
SIGMA = 6.0             # of CIDEr-D's penalty on another length
# contractions come apart as in the Penn Treebank: "isn't" is "is n't", "man's" is "man 's"
CONTRACTIONS = re.compile(r"(?<=\w)(n't|'(?:s|re|ve|ll|d|m))\b")
WORDS = re.compile(r"n't\b|'(?:s|re|ve|ll|d|m)\b|[^\W_]+(?:[-'.][^\W_]+)*|[^\s\w]")
PUNCTUATION = set("'`.?!,:;-\"()[]{}")


def words_of(text):
    """Lower-case words without punctuation."""
    text = CONTRACTIONS.sub(r" \1", text.lower().replace("\u2019", "'"))
    return [word for word in WORDS.findall(text) if word not in PUNCTUATION]


def grams(words):
    """How often each n-gram occurs, n from 1 to ORDERS."""
    return collections.Counter(tuple(words[begin:begin + order])
                               for order in range(1, ORDERS + 1)
                               for begin in range(len(words) - order + 1))


def bleu(captions, references):
    """BLEU-1 to BLEU-4 of the whole corpus; of the references the one of the nearest length
    counts. captions [text], references [[text]]."""
    right, said = [0] * ORDERS, [0] * ORDERS
    length = reference_length = 0
    for caption, texts in zip(captions, references):
        words, others = words_of(caption), [words_of(text) for text in texts]
        length += len(words)
        reference_length += min((abs(len(other) - len(words)), len(other)) for other in others)[1]
        most = collections.Counter()
        for other in others:
            most |= grams(other)
        for gram, count in grams(words).items():
            said[len(gram) - 1] += count
            right[len(gram) - 1] += min(count, most[gram])
    brevity = 1.0
    if length < reference_length:
        brevity = math.exp(1 - reference_length / max(length, 1e-9))
    result, product = [], 1.0
    for order in range(ORDERS):
        product *= (right[order] + 1e-15) / (said[order] + 1e-9)
        result.append(brevity * product ** (1 / (order + 1)))
    return result


def cider(captions, references):
    """CIDEr-D of every caption; their mean is that of the corpus. How telling an n-gram is follows
    from the number of pictures whose references hold it."""
    counted = [[grams(words_of(text)) for text in texts] for texts in references]
    pictures = collections.Counter(gram for several in counted for gram in set().union(*several))
    log_pictures = math.log(len(references))

    def weighted(counts):
        """Vectors by order, their lengths, and the number of 2-grams, which stands for words."""
        vectors, norms, length = [{} for _ in range(ORDERS)], [0.0] * ORDERS, 0
        for gram, count in counts.items():
            weight = count * (log_pictures - math.log(max(1, pictures[gram])))
            vectors[len(gram) - 1][gram] = weight
            norms[len(gram) - 1] += weight ** 2
            length += count if len(gram) == 2 else 0
        return vectors, [math.sqrt(norm) for norm in norms], length

    scores = []
    for caption, several in zip(captions, counted):
        ours, our_norms, our_length = weighted(grams(words_of(caption)))
        total = 0.0
        for counts in several:
            theirs, their_norms, their_length = weighted(counts)
            penalty = math.exp(-(our_length - their_length) ** 2 / (2 * SIGMA ** 2))
            for order in range(ORDERS):
                both = sum(min(weight, theirs[order].get(gram, 0.0)) * theirs[order].get(gram, 0.0)
                           for gram, weight in ours[order].items())
                norms = our_norms[order] * their_norms[order]
                total += penalty * (both / norms if norms else both)
        scores.append(10 * total / ORDERS / len(several))
    return scores


def commonest(captions):
    """The caption said most often, and of what share of the pictures."""
    text, count = collections.Counter(captions).most_common(1)[0]
    return text, count / len(captions)


def summary(captions, references):
    scores = cider(captions, references)
    return {"CIDEr": sum(scores) / len(scores), "BLEU-4": bleu(captions, references)[3],
            "commonest": commonest(captions)[1]}
