import os
from typing import Any, Sequence, overload

import numpy
from numpy.typing import NDArray

__version__: str

Picture = str | os.PathLike[str] | NDArray[numpy.uint8] | Any

class Error(Exception): ...

def open(
    name: str | os.PathLike[str],
    *,
    device: int | str | None = None,
    precision: str = "auto",
    require_gpu: bool = False,
) -> Model: ...

class Model:
    name: str
    @property
    def task(self) -> str: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def device(self) -> str: ...
    @property
    def encoder_layers(self) -> int: ...
    @property
    def decoder_layers(self) -> int: ...
    def tell(self, *phrases: str) -> None: ...
    def ask(self, question: str) -> None: ...
    @overload
    def __call__(
        self,
        image: list[Picture] | tuple[Picture, ...],
        *,
        threshold: float | None = None,
        most: int = 0,
        max_words: int = 0,
        beams: int = 0,
    ) -> list[Result]: ...
    @overload
    def __call__(
        self,
        image: Picture,
        *,
        threshold: float | None = None,
        most: int = 0,
        max_words: int = 0,
        beams: int = 0,
    ) -> Result: ...

class Result:
    def __len__(self) -> int: ...
    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def boxes(self) -> NDArray[numpy.float32]: ...
    @property
    def scores(self) -> NDArray[numpy.float32]: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def ids(self) -> NDArray[numpy.int64]: ...
    @property
    def queries(self) -> NDArray[numpy.int64]: ...
    @property
    def masks(self) -> NDArray[numpy.bool_] | None: ...
    @property
    def classes(self) -> list[tuple[str, float]]: ...
    @property
    def caption(self) -> str | None: ...
    @property
    def words(self) -> list[tuple[str, float]]: ...
    def attention_map(
        self,
        layer: int = -1,
        head: int | None = None,
        *,
        query: int | None = None,
        point: Sequence[float] | None = None,
        word: int | None = None,
    ) -> tuple[NDArray[numpy.float32], tuple[float, float, float, float]]: ...
    def attention(
        self,
        layer: int = -1,
        head: int | None = None,
        *,
        query: int | None = None,
        point: Sequence[float] | None = None,
        word: int | None = None,
    ) -> NDArray[numpy.float32]: ...
    def features(self, layer: int = -1) -> NDArray[numpy.float32]: ...
