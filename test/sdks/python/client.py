"""Asks UnleashClient, unmodified: one context a line in, one line of answers out."""

import json
import sys

from UnleashClient import UnleashClient

url, token, folder = sys.argv[1:4]
client = UnleashClient(
    url=url,
    app_name="sdks-python",
    custom_headers={"Authorization": token},
    refresh_interval=1,
    metrics_interval=1,
    cache_directory=folder,
)
client.initialize_client()

for line in sys.stdin:
    asked = json.loads(line)
    answers = {}
    for name in asked["names"]:
        if client.is_enabled(name, asked["context"]):
            variant = client.get_variant(name, asked["context"])
            answers[name] = variant["name"] if variant["enabled"] else None
    sys.stdout.write(json.dumps(answers) + "\n")
    sys.stdout.flush()
