"""Calls UnleashClient, unmodified: one context per input line, one output line of answers."""

import json
import sys
import threading

from UnleashClient import UnleashClient
from UnleashClient.events import UnleashEventType

url, token, folder, app_name, mode = sys.argv[1:6]
ready = threading.Event()


def notice(event):
    if event.event_type == UnleashEventType.READY:
        ready.set()


client = UnleashClient(
    url=url,
    app_name=app_name,
    custom_headers={"Authorization": token},
    refresh_interval=1,
    metrics_interval=1,
    cache_directory=folder,
    experimental_mode={"type": mode},
    event_callback=notice,
)
client.initialize_client()
ready.wait()

for line in sys.stdin:
    asked = json.loads(line)
    answers = {}
    for name in asked["names"]:
        if client.is_enabled(name, asked["context"]):
            variant = client.get_variant(name, asked["context"])
            answers[name] = variant["name"] if variant["enabled"] else None
    sys.stdout.write(json.dumps(answers) + "\n")
    sys.stdout.flush()
