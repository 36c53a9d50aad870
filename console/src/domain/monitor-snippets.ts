/** What is entered at a monitor, so that it sends signals to an endpoint. */
export interface MonitorSnippet {
  readonly id: 'curl' | 'alertmanager' | 'datadog';
  readonly code: string;
}

/** `token`: the secret, or the name of a variable where it is not known any more. */
export function monitorSnippets(values: { readonly url: string; readonly token: string }): readonly MonitorSnippet[] {
  const { url, token } = values;
  return [
    {
      id: 'curl',
      code: `curl -sS --fail-with-body '${url}' \\
  -H "Authorization: Bearer ${token}" \\
  -H 'Content-Type: application/json' \\
  -d '{"status": "firing", "commonLabels": {"alertname": "CheckoutErrors"}}'
`,
    },
    {
      id: 'alertmanager',
      code: `receivers:
  - name: burgee
    webhook_configs:
      - url: ${url}
        send_resolved: true
        max_alerts: 20
        http_config:
          authorization:
            type: Bearer
            credentials: ${token}
route:
  routes:
    - receiver: burgee
      matchers: ['alertname = CheckoutErrors']
`,
    },
    {
      id: 'datadog',
      code: `URL: ${url}
Encode as form: off
Custom headers: {"Authorization": "Bearer ${token}"}
Payload:
{
  "id": "$ID", "title": "$EVENT_TITLE", "event_type": "$EVENT_TYPE", "date": "$DATE",
  "alert_transition": "$ALERT_TRANSITION", "alert_id": "$ALERT_ID", "tags": "$TAGS",
  "org": { "id": "$ORG_ID", "name": "$ORG_NAME" }
}
`,
    },
  ];
}
