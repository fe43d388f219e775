"""How fast matches are stepped: ``python -m intermezzo.bench mages``."""

from __future__ import annotations

import argparse
import time

import numpy as np

from ._native import Batch, Ruleset


def main() -> None:
    """Steps a batch by chance for a while, and says how fast that went."""
    parser = argparse.ArgumentParser(prog="python -m intermezzo.bench", description=main.__doc__)
    parser.add_argument("ruleset", help="a folder, a file, or the name of a ruleset that comes with the package")
    parser.add_argument("--matches", type=int, default=256, help="matches at once (256)")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long (5)")
    parser.add_argument("--threads", type=int, default=None, help="threads (one for each processor)")
    parser.add_argument("--seed", type=int, default=1, help="where chance comes from (1)")
    chosen = parser.parse_args()
    batch = Batch(Ruleset.load(chosen.ruleset), chosen.matches, chosen.seed, threads=chosen.threads)
    random = np.random.default_rng(chosen.seed)
    _, masks, _ = batch.reset()
    steps = finished = 0
    stepping = working = 0.0
    while stepping < chosen.seconds:
        actions = np.where(masks, random.random(masks.shape), -1.0).argmax(axis=1)
        begun, begun_working = time.perf_counter(), time.process_time()
        _, masks, _, dones, _ = batch.step(actions)
        stepping += time.perf_counter() - begun
        working += time.process_time() - begun_working
        steps += len(batch)
        finished += int(dones.sum())
    print(f"{chosen.ruleset}: {batch.encoding.observation_size} numbers, {batch.encoding.max_actions} actions")
    print(f"{steps / stepping:,.0f} actions/s, {finished / stepping:,.1f} matches/s ({len(batch)} matches at once)")
    print(f"{steps / working:,.0f} actions per second of one processor's time")


if __name__ == "__main__":
    main()
