import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLIENT_TOKEN, startTestService, type TestService } from '../support/service.ts';
import { ask, isSince, PEER } from './unleash.ts';

/** What one application reports at once. Names of labels are as SDKs send them, also those of flags. */
const REPORT = {
  appName: 'impact-peer',
  instanceId: 'one',
  bucket: null,
  impactMetrics: [
    {
      name: 'peer_purchases',
      help: 'Things that were bought',
      type: 'counter',
      samples: [
        { labels: { shelf: 'a', 'my-flag': 'on' }, value: 3 },
        { labels: { shelf: 'b', origin: 'till', metric_type: 'own' }, value: 1 },
        { value: 2 },
      ],
    },
    { name: 'peer_stock', help: 'In stock', type: 'gauge', samples: [{ labels: { shelf: 'a' }, value: 7 }] },
    {
      name: 'peer_seconds',
      help: 'Time',
      type: 'histogram',
      samples: [
        {
          labels: { shelf: 'a' },
          count: 3,
          sum: 12.5,
          buckets: [
            { le: 1, count: 1 },
            { le: 10, count: 2 },
            { le: '+Inf', count: 3 },
          ],
        },
      ],
    },
  ],
};

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ env: { IMPACT_METRIC_NAMES: 'unleash-8' } });
});

afterAll(() => service?.close());

/** Sends the report, and reads its lines on the page for Prometheus, sorted and with sorted labels. */
async function scrapeOf(url: string, token: string): Promise<string[]> {
  const headers = { authorization: token, 'content-type': 'application/json' };
  const sent = await fetch(`${url}/api/client/metrics`, { method: 'POST', headers, body: JSON.stringify(REPORT) });
  expect(sent.status).toBe(202);
  const text = await (await fetch(`${url}/internal-backstage/impact/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.includes('peer_'));
  return lines.map(withSortedLabels).sort();
}

/** Burgee adds the application and the environment to each series (docs/reach/metrics.md). */
function withSortedLabels(line: string): string {
  return line.replace(/\{(.*)\}/, (_all, labels: string) => {
    const kept = labels.split(',').filter((label) => !/^(appName|environment)=/.test(label));
    return `{${kept.sort().join()}}`;
  });
}

it.runIf(isSince(8))('one report has the same names, labels and values at Unleash and at Burgee', async () => {
  const made = { tokenName: 'impact-peer', type: 'client', environment: 'development', projects: ['*'] };
  const { secret } = await ask('POST', '/api-tokens', made);
  try {
    const there = await scrapeOf(PEER.url, secret);
    expect(there.length).toBeGreaterThan(10);
    expect(await scrapeOf(service.url, CLIENT_TOKEN)).toEqual(there);
  } finally {
    await ask('DELETE', `/api-tokens/${secret}`);
  }
});
