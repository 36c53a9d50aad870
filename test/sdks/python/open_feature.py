"""Calls the OFREP provider of OpenFeature, unmodified: one question per input line, one output line with its result."""

import json
import sys

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

url = sys.argv[1]

for line in sys.stdin:
    asked = json.loads(line)
    headers = {"Authorization": asked["token"]}
    api.set_provider(OFREPProvider(url, headers_factory=lambda: headers))
    ask = getattr(api.get_client(), f"get_{asked['type']}_details")
    context = EvaluationContext(asked.get("user"), asked.get("attributes", {}))
    told = ask(asked["flag"], asked["default"], context)
    answer = {"value": told.value, "variant": told.variant, "reason": told.reason, "error": told.error_code}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
