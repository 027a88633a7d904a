"""Trains for a given time: a warm-up and a cosine over the seconds, and an average of the weights
to keep. On a GPU a whole step, from composing scenes to the optimiser, is one CUDA graph."""
import contextlib
import copy
import math
import time
import traceback

import torch

import vit
from optimizer import Optimizer

WARM_UP, LAST_FACTOR = 0.03, 0.01
AVERAGE_EVERY = 8
TELL_EVERY = 20         # seconds


def schedule(done, part=(0.0, 1.0)):
    """The learning-rate factor when `done` of the time, 0..1, has passed. Of several trainings in
    turn each has its part of one cosine, and a warm-up of its own."""
    turn = math.pi * (part[0] + (part[1] - part[0]) * min(1, done))
    return min(1, done / WARM_UP) * (LAST_FACTOR + (1 - LAST_FACTOR) * (1 + math.cos(turn)) / 2)


def train(model, batches, loss, seconds, rate, muon_rate, check, checks=4, average=0.999,
          compiled=((vit.Block, "forward"),), meanwhile=None, save=None, part=(0.0, 1.0),
          pace=lambda name: 1.0, wall=False):
    """Minimises loss(model, batch) over batches(); returns the averaged model.

    save(model), if there is one, and check(model) -> text are called `checks` times on the averaged
    model; their time does not count, unless the seconds are those of the clock on the `wall`. What
    `compiled` names, as owner and attribute, is
    compiled while training; meanwhile() is called now and then between steps. `part` is this
    training's part of the schedule, `pace` the optimiser's.
    """
    device = next(model.parameters()).device
    on_gpu = device.type == "cuda"
    torch.backends.cudnn.benchmark = True
    kept = copy.deepcopy(model).eval()
    optimizer = Optimizer(model, rate, muon_rate, pace=pace)

    def step():
        batch = batches()
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=on_gpu):
            value = loss(model, batch)
        value.backward()
        optimizer.step()
        return value.detach()

    def look(passed):
        began, told = time.time(), "could not be checked"
        try:                        # a training is worth more than a look at it
            if save:
                save(kept)
            told = check(kept)
        except Exception:
            traceback.print_exc()
        print(f"  {passed:.0f} s, {steps} steps, loss {float(value):.3f}: {told}", flush=True)
        return time.time() - began

    optimizer.scale(1e-4)           # the steps before the capture are to change next to nothing
    began = time.time()
    with swapped(compiled if on_gpu else ()):
        run = captured(step) if on_gpu else step
    print(f"  ready after {time.time() - began:.0f} s", flush=True)

    weights, averaged = floats(model), floats(kept)
    began, paused, steps, value, total, told = time.time(), 0.0, 0, None, 0.0, 0
    next_check, next_told = 1, TELL_EVERY
    while True:
        if steps % 20 == 0:
            if on_gpu:
                torch.cuda.synchronize()
            passed = time.time() - began - paused
            if passed >= seconds:
                break
            if meanwhile:
                meanwhile()
            if steps:
                total, told = total + float(value), told + 1
            if passed >= next_told and told:
                print(f"  {passed:.0f} s, {steps} steps, loss {total / told:.3f}", flush=True)
                total, told, next_told = 0.0, 0, passed + TELL_EVERY
        optimizer.scale(schedule(passed / seconds, part))
        value = run()
        steps += 1
        if steps % AVERAGE_EVERY == 0:
            keep = min(average ** AVERAGE_EVERY, (1 + steps) / (80 + steps))
            with torch.no_grad():
                torch._foreach_lerp_(averaged, weights, 1 - keep)
        if next_check < checks and passed >= seconds * next_check / checks:
            next_check += 1
            took = look(passed)
            paused += 0 if wall else took
    look(seconds)
    return kept


def floats(model):
    """All that is averaged: weights, and what batch norms have counted."""
    return [value for value in (*model.parameters(), *model.buffers())
            if value.is_floating_point()]


@contextlib.contextmanager
def swapped(compiled):
    """The functions named, compiled for a while."""
    before = [(owner, name, getattr(owner, name)) for owner, name in compiled]
    for owner, name, function in before:
        setattr(owner, name, torch.compile(function, dynamic=False))
    try:
        yield
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)


def captured(step):
    """The step as a graph to replay; compiles what is to be compiled on the way."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(aside)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):
        value = step()

    def replay():
        graph.replay()
        return value
    return replay
