"""Benchmark of ``Batch.step``: ``python -m intermezzo.bench mages``."""

from __future__ import annotations

import argparse
import time

import numpy as np

from ._native import Batch, Ruleset


def main() -> None:
    """Steps a batch with random actions and prints the speed."""
    description = "Step a batch with random actions and print the speed."
    parser = argparse.ArgumentParser(prog="python -m intermezzo.bench", description=description)
    parser.add_argument("ruleset", help="folder, file, or name of a bundled ruleset")
    parser.add_argument("--matches", type=int, default=256, help="matches in the batch (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=5.0, help="duration (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=None, help="threads (default: one per processor)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default: %(default)s)")
    arguments = parser.parse_args()
    batch = Batch(Ruleset.load(arguments.ruleset), arguments.matches, arguments.seed, threads=arguments.threads)
    rng = np.random.default_rng(arguments.seed)
    _, masks, _ = batch.reset()
    steps = finished = 0
    wall_time = processor_time = 0.0
    while wall_time < arguments.seconds:
        actions = np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)
        wall_start, processor_start = time.perf_counter(), time.process_time()
        _, masks, _, dones, _ = batch.step(actions)
        wall_time += time.perf_counter() - wall_start
        processor_time += time.process_time() - processor_start
        steps += len(batch)
        finished += int(dones.sum())
    encoding = batch.encoding
    print(f"{arguments.ruleset}: {encoding.observation_size} numbers per observation, {encoding.max_actions} actions")
    print(f"{steps / wall_time:,.0f} actions/s, {finished / wall_time:,.1f} matches/s ({len(batch)} matches in the batch)")
    print(f"{steps / processor_time:,.0f} actions per second of processor time")


if __name__ == "__main__":
    main()
