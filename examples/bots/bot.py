#!/usr/bin/env python3
"""A bot that plays a match on an Intermezzo server, in plain Python.

    python3 bot.py http://127.0.0.1:8080 orcain --against greedy --seed 1

It makes a guest, makes a match against a bot of the server, and answers by chance until the match is over. What
happens is read as lines of JSON and printed as it comes; the last line says how the match ended.
"""

import argparse
import json
import random
import sys
import time
import urllib.error
import urllib.request


class Server:
    """The few requests a bot needs."""

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
        with urllib.request.urlopen(request, data, timeout=30) as answer:
            return answer.read().decode()

    def ask(self, method, path, body=None):
        text = self.send(method, path, body)
        return json.loads(text) if text else None

    def lines(self, path):
        """What has happened, one step a line."""
        text = self.send("GET", path, accept="application/x-ndjson")
        return [json.loads(line) for line in text.splitlines() if line]


def choose(prompt, chance):
    """A legal answer by chance. A prompt says all there is to know: options, how many, slots, whether one may pass."""
    if prompt["pass"] and (not prompt["options"] or chance.random() < 0.3):
        return "pass"
    numbers = [option["n"] for option in prompt["options"]]
    chance.shuffle(numbers)
    if prompt.get("slots"):
        slots = prompt["slots"]
        return (numbers + [None] * slots)[:slots]
    most = min(prompt["max"], len(numbers))
    least = min(max(prompt["min"], 1), most)
    return numbers[: chance.randint(least, most)]


def play(server, ruleset, against, chance):
    server.token = server.ask("POST", "/accounts", {})["token"]
    match = server.ask("POST", "/matches", {"ruleset": ruleset, "places": ["human", against]})["id"]
    server.ask("POST", f"/matches/{match}/start")
    version = 0
    while True:
        for step in server.lines(f"/matches/{match}/events?since={version}"):
            version = max(version, step["version"])
            print(json.dumps(step), flush=True)
        ending = server.ask("GET", f"/matches/{match}/view")["view"]["ending"]
        if ending:
            return ending
        prompts = server.ask("GET", f"/matches/{match}/inputs")["prompts"]
        if not prompts:
            time.sleep(0.05)
        for prompt in prompts:
            answers = choose(prompt, chance)
            try:
                server.ask("POST", f"/matches/{match}/inputs/{prompt['inputId']}", {"answers": answers})
            except urllib.error.HTTPError as problem:
                # 409: the question is no longer open. 422: not legal; the answer says what would be.
                if problem.code not in (409, 422):
                    raise


def main():
    parser = argparse.ArgumentParser(description="plays a match by chance")
    parser.add_argument("server")
    parser.add_argument("ruleset")
    parser.add_argument("--against", default="random", choices=["random", "greedy", "mcts"])
    parser.add_argument("--seed", type=int, default=0)
    wish = parser.parse_args()
    ending = play(Server(wish.server), wish.ruleset, wish.against, random.Random(wish.seed))
    print(json.dumps({"ending": ending}))


if __name__ == "__main__":
    sys.exit(main())
