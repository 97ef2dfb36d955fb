# SPDX-License-Identifier: GPL-3.0-or-later
"""A strict reader of the Trace Event Format: what Perfetto and chrome://tracing forgive is an error here."""

import collections
import json

PHASES = {"B", "E", "i", "C", "M"}
METADATA = {"process_name": ("name", str), "thread_name": ("name", str), "process_sort_index": ("sort_index", int)}


class Wrong(Exception):
    pass


def need(good, *what):
    if not good:
        raise Wrong(" ".join(map(str, what)))


class Slice:
    def __init__(self, event, depth):
        self.name, self.thread, self.depth = event["name"], (event["pid"], event["tid"]), depth
        self.begin, self.end, self.args, self.inside = event["ts"], None, dict(event["args"]), []

    def tree(self):
        return (self.name, [one.tree() for one in self.inside])

    def __repr__(self):
        return f"{self.name}{self.inside or ''}"


class Timeline:
    """`is_whole`: the run has ended; else its last bracket may be missing, and calls may be open."""

    def __init__(self, text, is_whole=True):
        def once(pairs):
            names = [name for name, _ in pairs]
            need(len(set(names)) == len(names), "a key comes twice:", names)
            return dict(pairs)
        def no_constant(name):
            raise Wrong(f"{name} is no number of JSON")
        if not is_whole and not text.endswith("]\n"):
            text += "]"
        self.events = json.loads(text, object_pairs_hook=once, parse_constant=no_constant)
        need(isinstance(self.events, list) and self.events, "no list of events")
        self.slices, self.instants, self.counters = [], [], collections.defaultdict(list)
        self.names, self.processes, self.places = {}, {}, {}
        open_, last = collections.defaultdict(list), collections.defaultdict(float)
        for event in self.events:
            self.check(event)
            thread, kind = (event["pid"], event["tid"]), event["ph"]
            if kind in "BEi" and event.get("s", "t") == "t":
                need(event["ts"] >= last[thread], "time goes back to", event)
                last[thread] = event["ts"]
            if kind == "B":
                made = Slice(event, len(open_[thread]))
                (open_[thread][-1].inside if open_[thread] else self.slices).append(made)
                open_[thread].append(made)
            elif kind == "E":
                need(open_[thread], "nothing is open at", event)
                ended = open_[thread].pop()
                need(ended.name == event["name"], ended.name, "is open at", event)
                ended.end = event["ts"]
                need(not ended.args.keys() & event["args"].keys(), "both ends of", ended.args, "have a value in", event)
                ended.args |= event["args"]
            elif kind == "i":
                self.instants.append(event)
            elif kind == "C":
                self.counters[event["name"]].append(event["args"])
            elif event["name"] == "process_sort_index":
                place = self.places.setdefault(event["pid"], event["args"]["sort_index"])
                need(place == event["args"]["sort_index"] and list(self.places.values()).count(place) == 1, "a second place", event)
            elif event["name"] == "thread_name":
                self.names[thread] = event["args"]["name"]
            else:
                self.processes[event["pid"]] = event["args"]["name"]
        self.open = [one.name for calls in open_.values() for one in calls]
        need(not is_whole or not self.open, "no end of", self.open)
        need(not is_whole or self.places.keys() == self.processes.keys(), "places", self.places, "of", self.processes)
        self.shown = [self.processes[pid] for pid in sorted(self.processes, key=lambda pid: self.places.get(pid, 0))]  # from the top

    @staticmethod
    def check(event):
        need(isinstance(event, dict) and event.get("ph") in PHASES, "no event:", event)
        for field, kind in (("ts", (int, float)), ("pid", int), ("tid", int), ("name", str), ("args", dict)):
            need(isinstance(event.get(field), kind), field, "of", event)
        need(event["ts"] >= 0 and event["tid"] >= 0, event)
        need((event["ph"] == "i") == ("s" in event) and event.get("s", "t") in "gpt", "scope of", event)
        if event["ph"] == "M":
            need(event["name"] in METADATA, "metadata", event)
            key, kind = METADATA[event["name"]]
            need(list(event["args"]) == [key] and isinstance(event["args"][key], kind), "metadata", event)
        need(event["ph"] != "C" or event["args"] and all(isinstance(value, (int, float)) for value in event["args"].values()), "counter", event)
        need(event["ph"] not in "BE" or isinstance(event.get("cat"), str) or "no return" in event["args"], "category of", event)

    def all_slices(self):
        rest = list(self.slices)
        while rest:
            one = rest.pop(0)
            rest += one.inside
            yield one

    def named(self, name):
        return [one for one in self.all_slices() if one.name == name]

    def moments(self, name):
        return [event for event in self.instants if event["name"] == name]
