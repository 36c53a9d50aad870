import { afterEach, describe, expect, it } from 'vitest';
import { type FleetHere, startFleetHere } from './fleet-here.ts';

const INDEX = '/api/admin/flag-index';
const REVISION = 'burgee-index-revision';

describe('The index of flags among replicas', { timeout: 120_000 }, () => {
  let fleet: FleetHere;

  afterEach(() => fleet.dispose());

  it('has the same bytes and tags, also after a restart, and each replica continues after the answer of another', async () => {
    fleet = await startFleetHere(2);
    let newest = '';
    let revision = '';
    const create = async (replica: number, name: string) => {
      newest = (await fleet.at(replica).create(name)).headers.get('burgee-revision') ?? '';
    };
    const read = async (replica: number, query = '') => {
      const headers = { 'burgee-min-revision': newest };
      const answer = await fleet.at(replica).call('GET', `${INDEX}${query}`, { headers });
      expect(answer.status, answer.text).toBe(200);
      // The service itself also makes commits, which change the revision and nothing else.
      revision = answer.headers.get(REVISION) ?? '';
      return { text: answer.text, etag: answer.headers.get('etag') };
    };
    await create(0, 'first');
    expect(await read(1)).toEqual(await read(0));
    await create(1, 'second');
    await create(0, 'third');
    expect(await read(1)).toEqual(await read(0));
    const since = `?since=${revision}`;
    await create(1, 'fourth');
    const differences = await read(1, since);
    expect(JSON.parse(differences.text)).toMatchObject({ isWhole: false, blocks: [{ names: 'fourth' }] });
    expect(await read(0, since)).toEqual(differences);
    await fleet.at(1).end();
    await fleet.at(1).start();
    expect(await read(1)).toEqual(await read(0));
    expect(JSON.parse((await read(1, since)).text).isWhole).toBe(true);
  });
});
