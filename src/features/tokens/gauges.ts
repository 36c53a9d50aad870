import { type Gauge, gauge } from '../shared/gauge.ts';

/** Metrics of API tokens. */
export const gauges: readonly Gauge[] = [
  gauge(
    'burgee_api_tokens_expiring',
    'API tokens in use that expire within so many days; a relay leaves it out',
    ({ source, tokenExpiry }) =>
      source ? undefined : [...tokenExpiry.counts()].map(([days, count]) => [{ days: String(days) }, count] as const),
  ),
  gauge(
    'burgee_api_token_first_expiry_timestamp_seconds',
    'Unix time when the first API token in use of the environment expires; left out if none expires within seven days',
    ({ tokenExpiry }) => [...tokenExpiry.firstExpiries()].map(([environment, at]) => [{ environment }, at] as const),
  ),
];
