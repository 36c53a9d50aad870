import { afterEach, describe, expect, it } from 'vitest';
import { SecureSource } from '../support/secure-source.ts';
import { until } from '../support/until.ts';
import type { Replica } from './fleet.ts';
import { type FleetHere, startFleetHere } from './fleet-here.ts';

describe('Tokens that two replicas adopt at the same time', { timeout: 120_000 }, () => {
  const source = new SecureSource();
  let fleet: FleetHere;

  afterEach(async () => {
    await fleet.dispose();
    source.close();
  });

  it('are stored once, and served by both', async () => {
    await source.start();
    fleet = await startFleetHere(2, source.options);
    const tokens = Array.from({ length: 20 }, () => source.add());
    // A replica that knows of a commit of the other, and does not have it yet, answers 503: try again.
    const polled = (replica: Replica, authorization: string) =>
      until(
        () => replica.poll({ authorization }),
        ({ status }) => status !== 503,
      );
    const answers = await Promise.all(
      tokens.flatMap(({ text }) => fleet.replicas.map((replica) => polled(replica, text))),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    for (const replica of fleet.replicas) {
      const list = await replica.call('GET', '/api/admin/api-tokens');
      const names = list.json.tokens.map(({ tokenName }: { tokenName: string }) => tokenName);
      const adopted = names.filter((name: string) => name.endsWith('of the source')).sort();
      expect(adopted).toEqual(tokens.map(({ tokenName }) => tokenName).sort());
    }
    const { json } = await fleet.at(0).call('GET', '/api/admin/events?limit=100');
    const events = json.events.filter(({ createdBy }: { createdBy: string }) => createdBy === 'adoption of tokens');
    expect(events).toHaveLength(20);
    // A token that one replica has deleted is adopted by none again.
    const [first] = tokens;
    const path = `/api/admin/api-tokens/${encodeURIComponent(first?.text ?? '')}`;
    const { headers } = await fleet.at(0).call('DELETE', path);
    const minimum = { 'burgee-min-revision': headers.get('burgee-revision') ?? '' };
    for (const replica of fleet.replicas)
      expect((await replica.poll({ authorization: first?.text ?? '', ...minimum })).status).toBe(401);
  });
});
