"""Callers in Python. Arguments: `requests` (a session that keeps connections) or `sdk` (as Unleash's SDK asks), requests, pause from, pause to (ms), token,
body of a POST, addresses. Prints: requests, failed GETs, failed POSTs, and the first failure."""

import json
import random
import sys
import threading
import time

try:
    import requests

    if sys.argv[1] == "sdk":
        from UnleashClient._headers import _HeaderFactory
        from UnleashClient._transport import _Transport
        from UnleashClient.config import UnleashConfig
except ImportError as error:
    sys.exit(f"missing: {error}")

way, count, pause_from, pause_to, token, body = sys.argv[1], *map(int, sys.argv[2:5]), *sys.argv[5:7]
urls = sys.argv[7:]
threading.stack_size(512 * 1024)
lock = threading.Lock()
tally = {"requests": 0, "GET": 0, "POST": 0, "first": ""}
headers = {"Authorization": token, "Content-Type": "application/json"}


def by_session(url):
    session = requests.Session()

    def ask(is_get):
        if is_get:
            answer = session.get(f"{url}/api/client/features", headers=headers, timeout=30)
        else:
            answer = session.post(f"{url}/api/client/metrics", data=body, headers=headers, timeout=30)
        answer.raise_for_status()

    return ask


def by_sdk(url):
    config = UnleashConfig(url=f"{url}/api", app_name="kept", custom_headers={"Authorization": token})
    transport = _Transport(config, _HeaderFactory(config))

    def ask(is_get):
        if is_get:
            done = transport.fetch_features().raw_state is not None
        else:
            done = transport.send_metrics(json.loads(body))
        if not done:
            raise RuntimeError("the SDK reports a failure")

    return ask


def caller(index, url):
    time.sleep(index / len(urls))
    ask = by_sdk(url) if way == "sdk" else by_session(url)
    for number in range(count):
        if number > 0:
            time.sleep(random.uniform(pause_from, pause_to) / 1000)
        is_get = (number + index) % 2 == 0
        failure = None
        try:
            ask(is_get)
        except Exception as error:  # whatever the caller would see
            failure = repr(error)
        with lock:
            tally["requests"] += 1
            if failure is not None:
                tally["GET" if is_get else "POST"] += 1
                tally["first"] = tally["first"] or failure


threads = [threading.Thread(target=caller, args=one) for one in enumerate(urls)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(tally["requests"], tally["GET"], tally["POST"], tally["first"].replace("\n", " "))
