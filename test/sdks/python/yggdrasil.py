"""Evaluates worlds with the core that the SDKs of Unleash share: one world per input line, one output line of answers."""

import json
import sys

from yggdrasil_engine.engine import UnleashEngine

for line in sys.stdin:
    world = json.loads(line)
    engine = UnleashEngine()
    engine.take_state(json.dumps(world["state"]))
    names = [feature["name"] for feature in world["state"]["features"]]
    answers = []
    for context in world["contexts"]:
        for name in names:
            variant = engine.check_variant(name, context).variant
            payload = variant.payload or None
            answers.append([engine.check_enabled(name, context).is_enabled, variant.name, variant.enabled, payload])
    sys.stdout.write(json.dumps(answers) + "\n")
    sys.stdout.flush()
