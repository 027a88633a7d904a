"""Vision transformers on Vulkan: detections, captions, classes and attention as numpy arrays.

>>> import numpy, saccade
>>> model = saccade.open("emoji-detector")
>>> model.task
'detect'
>>> result = model(numpy.full((120, 160, 3), 200, numpy.uint8), threshold=0.0)
>>> result.boxes.shape == (len(result), 4)
True
>>> result.attention(query=int(result.queries[0])).ndim
2
"""

import os
import weakref

import numpy

from . import _core
from ._core import Error

__all__ = ["Error", "Model", "Result", "open"]
__version__ = _core.version()

_TASKS = ("classify", "detect", "caption")
_PRECISIONS = {"auto": 0, "fp16": 1, "fp32": 2}
_engines = weakref.WeakValueDictionary()  # models on the same device share its memory


class _Engine:
    def __init__(self, *options):
        self.core = _core.Engine(*options)


def open(name, *, device=None, precision="auto", require_gpu=False):
    """Opens a model: a folder, a bundled model, or a model of the Hub that is on this machine.

    `device` is a number or a part of a name, as `saccade devices` lists them; `precision` is auto, fp16 or fp32. With
    `require_gpu` software Vulkan is an Error.

    >>> open("emoji-classifier").labels[:2]
    ['dog', 'cat']
    >>> open("no-such-model")
    Traceback (most recent call last):
        ...
    saccade._core.Error: ...
    """
    if precision not in _PRECISIONS:
        raise ValueError("precision is auto, fp16 or fp32")
    options = (None if device is None else str(device), _PRECISIONS[precision], bool(require_gpu))
    engine = _engines.get(options)
    if engine is None:
        engine = _engines[options] = _Engine(*options)
    return Model(engine, os.fspath(name))


def _pixels(image):
    if isinstance(image, (str, os.PathLike)):
        from PIL import Image, ImageOps

        with Image.open(image) as file:
            image = ImageOps.exif_transpose(file).convert("RGB")
    elif hasattr(image, "convert"):
        image = image.convert("RGB")
    array = numpy.asarray(image)
    if array.dtype != numpy.uint8 or array.ndim != 3 or array.shape[2] not in (3, 4):
        raise ValueError("a picture is a file, a PIL image or an array of uint8 (height, width, 3 or 4), in RGB")
    return numpy.ascontiguousarray(array)


class Model:
    """A model. Calling it runs it on a picture, or on a list of pictures.

    A picture is a file, a PIL image, or an array of uint8 (height, width, 3), in RGB. Other threads of Python run while
    the device works; calls on models of one device run one after another.
    """

    def __init__(self, engine, name):
        self._engine = engine
        self._core = _core.Model(engine.core, name)
        self.name = name

    def __repr__(self):
        return f"<saccade.Model {self.name} on {self.device}>"

    @property
    def task(self):
        """classify, detect or caption."""
        return _TASKS[self._core.task()]

    @property
    def labels(self):
        """The names of the classes, by id."""
        return self._core.labels()

    @property
    def device(self):
        """The name of the Vulkan device."""
        return self._engine.core.device

    @property
    def encoder_layers(self):
        return self._core.encoder_layers()

    @property
    def decoder_layers(self):
        return self._core.decoder_layers()

    def tell(self, *phrases):
        """What an open-vocabulary detector looks for, or what a zero-shot classifier chooses from."""
        self._core.tell(list(phrases))

    def ask(self, question):
        """The question for all following pictures, for models that answer."""
        self._core.ask(question)

    def __call__(self, image, *, threshold=None, most=0, max_words=0, beams=0):
        """Runs the model. `threshold` and `most` choose detections, `max_words` and `beams` are of captions.

        >>> import numpy
        >>> model = open("emoji-classifier")
        >>> dark, bright = (numpy.full((64, 64, 3), level, numpy.uint8) for level in (10, 240))
        >>> [len(result.classes) for result in model([dark, bright], most=3)]
        [3, 3]
        """
        several = isinstance(image, (list, tuple))
        pictures = [_pixels(one) for one in (image if several else [image])]
        found = self._core.run(pictures, -1.0 if threshold is None else threshold, most, max_words, beams)
        results = [Result(self, one) for one in found]
        return results if several else results[0]


class Result:
    """What a model found in one picture. What the model does not tell is empty or None.

    Attention and features are computed when they are asked for, from the model's last run.
    """

    def __init__(self, model, core):
        self._model = model
        self._core = core
        self._detections = core.detections()

    def __len__(self):
        return len(self._detections)

    @property
    def size(self):
        """(width, height) of the picture."""
        return self._core.size

    @property
    def boxes(self):
        """(n, 4) float32: left, top, right, bottom in pixels, the best first."""
        return numpy.array([one[3] for one in self._detections], numpy.float32).reshape(-1, 4)

    @property
    def scores(self):
        """(n,) float32."""
        return numpy.array([one[2] for one in self._detections], numpy.float32)

    @property
    def labels(self):
        """The name of each detection."""
        return [one[0] for one in self._detections]

    @property
    def ids(self):
        """(n,) int64: the class of each detection."""
        return numpy.array([one[1] for one in self._detections], numpy.int64)

    @property
    def queries(self):
        """(n,) int64: the object query of each detection, for attention."""
        return numpy.array([one[4] for one in self._detections], numpy.int64)

    @property
    def masks(self):
        """(n, height, width) bool, or None if the model gives no masks."""
        if not any(one[5] for one in self._detections):
            return None
        width, height = self.size
        empty = numpy.zeros((height, width), bool)
        return numpy.stack([self._core.mask(i) if one[5] else empty for i, one in enumerate(self._detections)])

    @property
    def classes(self):
        """Pairs of label and probability, the likeliest first."""
        return [(label, score) for label, _, score in self._core.classes()]

    @property
    def caption(self):
        """The caption or answer, or None."""
        return self._core.caption()

    @property
    def words(self):
        """Pairs of word and probability.

        >>> import numpy
        >>> result = open("emoji-captioner")(numpy.full((64, 64, 3), 128, numpy.uint8), max_words=4)
        >>> all(0 < p <= 1 for word, p in result.words)
        True
        """
        return self._core.words()

    def attention_map(self, layer=-1, head=None, *, query=None, point=None, word=None):
        """Attention and where its cells lie: an array, and (left, top, cell width, cell height) in pixels."""
        head = -1 if head is None else head
        core, result = self._model._core, self._core
        if query is not None:
            return core.from_query(result, query, layer, head)
        if word is not None:
            return core.from_word(result, word, layer, head)
        if point is not None:
            return core.from_point(result, point[0], point[1], layer, head)
        return core.from_class(result, layer, head)

    def attention(self, layer=-1, head=None, *, query=None, point=None, word=None):
        """Attention to the picture's patches, (rows, columns) float32.

        It is that of a detection's query, of the patch at a point (x, y), or of a word; of a classifier's class token
        if none is named. `layer` counts from 0, -1 is the last; without `head` it is the mean of all heads.

        >>> import numpy
        >>> result = open("emoji-classifier")(numpy.full((64, 64, 3), 128, numpy.uint8))
        >>> result.attention(layer=0, point=(20, 30)).sum() <= 1.0001
        True
        """
        return self.attention_map(layer, head, query=query, point=point, word=word)[0]

    def features(self, layer=-1):
        """The encoder's hidden states after `layer` layers, (tokens, dim) float32; -1 is the last."""
        return self._model._core.features(self._core, layer)
