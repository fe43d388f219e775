#!/usr/bin/env python3
"""A bot that plays a match on an Intermezzo server. It needs no packages.

    python3 bot.py http://127.0.0.1:8080 orcain --against greedy --seed 1

It creates a guest account and a match against a built-in bot, and gives random answers until the match is over. It prints
every step as a line of JSON; the last line contains the result.
"""

import argparse
import json
import random
import sys
import time
import urllib.error
import urllib.request


class Server:
    """HTTP client of the server."""

    def __init__(self, url):
        self.url = url.rstrip("/")
        self.token = None

    def send(self, method, path, body=None, accept="application/json"):
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("accept", accept)
        if self.token:
            request.add_header("authorization", "Bearer " + self.token)
        data = None
        if body is not None:
            request.add_header("content-type", "application/json")
            data = json.dumps(body).encode()
        with urllib.request.urlopen(request, data, timeout=30) as response:
            return response.read().decode()

    def request_json(self, method, path, body=None):
        text = self.send(method, path, body)
        return json.loads(text) if text else None

    def json_lines(self, path):
        """Returns a list of values, sent one per line."""
        text = self.send("GET", path, accept="application/x-ndjson")
        return [json.loads(line) for line in text.splitlines() if line]


def choose(prompt, rng):
    """Returns a random legal answer. The prompt contains everything needed for that."""
    if prompt["pass"] and (not prompt["options"] or rng.random() < 0.3):
        return "pass"
    picks = [{"n": option["n"]} for option in prompt["options"]]
    rng.shuffle(picks)
    if prompt.get("slots"):
        slots = prompt["slots"]
        return (picks + [None] * slots)[:slots]
    most = min(prompt["max"], len(picks))
    least = min(max(prompt["min"], 1), most)
    return picks[: rng.randint(least, most)]


def play(server, ruleset, against, rng):
    """Plays one match and returns its result."""
    server.token = server.request_json("POST", "/accounts", {})["token"]
    match = server.request_json("POST", "/matches", {"ruleset": ruleset, "places": ["human", against]})["id"]
    server.request_json("POST", f"/matches/{match}/start")
    version = 0
    while True:
        for step in server.json_lines(f"/matches/{match}/events?since={version}"):
            version = max(version, step["version"])
            print(json.dumps(step), flush=True)
        ending = server.request_json("GET", f"/matches/{match}/view")["view"]["ending"]
        if ending:
            return ending
        prompts = server.request_json("GET", f"/matches/{match}/inputs")["prompts"]
        if not prompts:
            time.sleep(0.05)
        for prompt in prompts:
            answers = choose(prompt, rng)
            try:
                server.request_json("POST", f"/matches/{match}/inputs/{prompt['inputId']}", {"answers": answers})
            except urllib.error.HTTPError as problem:
                # 409: the question is no longer open. 422: the answer is not legal; the response lists the legal options.
                if problem.code not in (409, 422):
                    raise


def main():
    parser = argparse.ArgumentParser(description="Play a match with random answers.")
    parser.add_argument("server", help="URL of the server")
    parser.add_argument("ruleset", help="name of a ruleset on the server")
    parser.add_argument("--against", default="random", choices=["random", "greedy", "mcts"], help="opponent")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    arguments = parser.parse_args()
    ending = play(Server(arguments.server), arguments.ruleset, arguments.against, random.Random(arguments.seed))
    print(json.dumps({"ending": ending}))


if __name__ == "__main__":
    sys.exit(main())
