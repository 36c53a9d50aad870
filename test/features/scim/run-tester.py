"""Runs the checks of scim2-tester against a service. Prints one JSON object for each check."""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

url, token = sys.argv[1:3]
with Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
    for result in check_server(SyncSCIMClient(http)):
        shown = {"status": result.status.name, "title": result.title, "resource": result.resource_type}
        print(json.dumps({**shown, "reason": result.reason, "data": repr(result.data)[:1000]}))
