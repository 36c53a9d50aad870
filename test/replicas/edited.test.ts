import { afterEach, describe, expect, it } from 'vitest';
import { type FleetHere, startFleetHere } from './fleet-here.ts';

const STRATEGIES = '/api/admin/projects/default/features/shared/environments/development/strategies';

describe('Tags of edited objects among replicas', { timeout: 120_000 }, () => {
  let fleet: FleetHere;

  afterEach(() => fleet.dispose());

  it('let twenty writers on two replicas change one strategy, and nothing is lost', async () => {
    fleet = await startFleetHere(2);
    await fleet.at(0).create('shared');
    const made = await fleet.at(0).call('POST', STRATEGIES, { body: { name: 'default', parameters: {} } });
    const path = `${STRATEGIES}/${made.json.id}`;
    let newest = made.headers.get('burgee-revision') ?? '';
    let conflicts = 0;
    const write = async (index: number) => {
      const replica = fleet.at(index % 2);
      for (;;) {
        const read = await replica.call('GET', path, { headers: { 'burgee-min-revision': newest } });
        expect(read.status, read.text).toBe(200);
        const parameters = { ...read.json.parameters, [`writer${index}`]: 'x' };
        const headers = { 'if-match': read.headers.get('etag') ?? '' };
        const answer = await replica.call('PUT', path, { body: { parameters }, headers });
        expect([200, 412], answer.text).toContain(answer.status);
        if (answer.status === 412) {
          conflicts++;
          continue;
        }
        newest = String(Math.max(Number(newest), Number(answer.headers.get('burgee-revision'))));
        return;
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => write(index)));
    const reads = [];
    for (const replica of fleet.replicas)
      reads.push(await replica.call('GET', path, { headers: { 'burgee-min-revision': newest } }));
    const [first, second] = reads;
    expect(Object.keys(first?.json.parameters).sort()).toEqual(
      Array.from({ length: 20 }, (_, i) => `writer${i}`).sort(),
    );
    expect(second?.json).toEqual(first?.json);
    expect(second?.headers.get('etag')).toBe(first?.headers.get('etag'));
    expect(conflicts).toBeGreaterThan(0);
  });
});
