"""Trains for a given time: a warm-up and a cosine over the seconds, and an average of the weights
to keep. On a GPU a whole step, from composing scenes to the optimiser, is one CUDA graph."""
import copy
import math
import time

import torch

import vit
from optimizer import Optimizer

WARM_UP, LAST_FACTOR = 0.03, 0.01
AVERAGE_EVERY = 8


def schedule(done):
    """The learning-rate factor when `done` of the time, 0..1, has passed."""
    if done < WARM_UP:
        return done / WARM_UP
    turn = math.pi * min(1, (done - WARM_UP) / (1 - WARM_UP))
    return LAST_FACTOR + (1 - LAST_FACTOR) * (1 + math.cos(turn)) / 2


def train(model, batches, loss, seconds, rate, muon_rate, check, checks=4, average=0.999):
    """Minimises loss(model, batch) over batches(); returns the averaged model.

    check(model) -> text is called `checks` times on the averaged model; its time does not count.
    """
    device = next(model.parameters()).device
    on_gpu = device.type == "cuda"
    kept = copy.deepcopy(model).eval()
    optimizer = Optimizer(model, rate, muon_rate)

    def step():
        batch = batches()
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=on_gpu):
            value = loss(model, batch)
        value.backward()
        optimizer.step()
        return value.detach()

    optimizer.scale(1e-4)           # the steps before the capture are to change next to nothing
    began = time.time()
    if on_gpu:
        eager, compiled = vit.Block.forward, torch.compile(vit.Block.forward, dynamic=False)
        vit.Block.forward = compiled
        run = captured(step)
    else:
        run = step
    print(f"  ready after {time.time() - began:.0f} s", flush=True)

    weights, averaged = list(model.parameters()), list(kept.parameters())
    began, paused, steps, value = time.time(), 0.0, 0, None
    next_check = 1
    while True:
        if steps % 20 == 0:
            if on_gpu:
                torch.cuda.synchronize()
            passed = time.time() - began - paused
            if passed >= seconds:
                break
        optimizer.scale(schedule(passed / seconds))
        value = run()
        steps += 1
        if steps % AVERAGE_EVERY == 0:
            keep = min(average ** AVERAGE_EVERY, (1 + steps) / (80 + steps))
            with torch.no_grad():
                torch._foreach_lerp_(averaged, weights, 1 - keep)
        if next_check < checks and passed >= seconds * next_check / checks:
            next_check += 1
            pause = time.time()
            if on_gpu:
                vit.Block.forward = eager
            print(f"  {passed:.0f} s, {steps} steps, loss {float(value):.3f}: {check(kept)}",
                  flush=True)
            paused += time.time() - pause
    if on_gpu:
        vit.Block.forward = eager
    print(f"  {seconds} s, {steps} steps, loss {float(value):.3f}: {check(kept)}", flush=True)
    return kept


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
