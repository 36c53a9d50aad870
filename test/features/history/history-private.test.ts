import { beforeAll, describe, expect, it } from 'vitest';
import { Mulberry32 } from '../../../src/base/mulberry32.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { useService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';

const service = useService();
/** A viewer without a role in the private projects, and a viewer with one in the project `closed`. */
let outsider: string;
let member: string;

beforeAll(async () => {
  for (const id of [941, 942]) await putUser(service, id, { rootRole: ROLE_ID.viewer });
  [outsider, member] = [await personalTokenOf(service, 941), await personalTokenOf(service, 942)];
  for (const id of ['closed', 'sealed'])
    await accepted(service, 'createProject', { body: { id, name: id, mode: 'private' } });
  await prepare(service, (draft) => give(draft, 'closed', 'user', 942, [ROLE_ID.member]));
});

const seq = () => service.running.services.state.seq;

interface Field {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

interface Entry {
  readonly revision: number;
  readonly changes: readonly { readonly type: string; readonly fields: readonly Field[] }[];
}

describe('the history of the mode of a project', () => {
  it('has each mode before and after, also between other changes', async () => {
    const random = new Mulberry32(26_006);
    const params = { projectId: 'modes' };
    await accepted(service, 'createProject', { body: { id: 'modes', name: 'modes' } });
    const modes = ['open', 'protected', 'private'];
    const expected = new Map<number, Field[]>();
    const modeNow = () => service.running.services.state.get('projects', 'modes')?.mode;
    for (let step = 0; step < atDepth({ quick: 30, full: 250 }); step++) {
      const mode = modes[Math.floor(random.next() * modes.length)];
      const before = modeNow();
      const body = random.next() < 0.6 ? { name: `modes ${step}`, mode } : { name: `modes ${step}` };
      await accepted(service, 'updateProject', { params, body });
      const after = modeNow();
      expected.set(seq(), before === after ? [] : [{ path: '/mode', before, after }]);
    }
    let changes = 0;
    for (let query = 'limit=25'; ; ) {
      const { body } = await accepted(service, 'getProjectHistory', { params, query });
      for (const {
        revision,
        changes: [change],
      } of body.entries as Entry[]) {
        const fields = expected.get(revision);
        if (!fields) continue;
        expect(
          change?.fields.filter(({ path }) => path === '/mode'),
          `at ${revision}`,
        ).toEqual(fields);
        changes += fields.length;
        expected.delete(revision);
      }
      if (body.next === null) break;
      query = `limit=25&before=${body.next}`;
    }
    expect(expected.size).toBe(0);
    expect(changes).toBeGreaterThan(10);
  });
});

describe('a segment that was moved out of a private project', () => {
  const constraints = (value: string) => [{ contextName: 'userId', operator: 'IN', values: [value] }];

  it('shows nothing of the time in the project to a caller who cannot see the project', async () => {
    const made = { name: 'closed.name', project: 'closed', constraints: constraints('closed.value') };
    const { id } = (await accepted(service, 'createSegment', { body: made })).body;
    const created = seq();
    const update = (body: object) => accepted(service, 'updateSegment', { params: { id }, body });
    await update({ ...made, name: 'closed.other' });
    const before = seq();
    await update({ name: 'moved.name', project: null, constraints: constraints('moved.value') });
    const move = seq();
    await update({ name: 'shared.name', project: null, constraints: constraints('shared.value') });
    const last = seq();
    const revisionsFor = async (token: string, operationId: string, params: object) => {
      const { body, text } = await accepted(service, operationId, { params: { ...params }, token, query: 'limit=20' });
      if (token === outsider) expect(text).not.toMatch(/closed\.|"closed"/);
      return (body.entries as Entry[])
        .filter(({ changes }) => changes.some(({ type }) => type === 'segment'))
        .map(({ revision }) => revision);
    };
    for (const [operationId, params] of [
      ['getSegmentHistory', { id }],
      ['getHistory', {}],
    ] as const) {
      expect(await revisionsFor(outsider, operationId, params)).toEqual([last]);
      expect(await revisionsFor(member, operationId, params)).toEqual([last, move, before, created]);
    }
    const differenceFor = (token: string, from: number) =>
      accepted(service, 'getHistoryDifference', { token, query: `from=${from}&segment=${id}` });
    for (const from of [created, before]) {
      const hidden = await differenceFor(outsider, from);
      expect(hidden.body.changes).toEqual([]);
      expect(hidden.text).not.toContain('closed');
      expect((await differenceFor(member, from)).text).toContain('closed.value');
    }
    expect((await differenceFor(outsider, move)).body.changes).toMatchObject([{ id: String(id) }]);
    // A past state of the segment is that of the private project.
    await refused(service, 'getSegment', MISSING, { params: { id }, query: `at=${before}`, token: outsider });
    expect((await accepted(service, 'getSegments', { query: `at=${before}`, token: outsider })).text).not.toContain(
      'closed',
    );
    await refused(service, 'undoRevision', MISSING, { params: { revision: move }, token: outsider });
  });

  it('needs both projects to be visible if it was moved between private projects', async () => {
    const made = { name: 'between.name', project: 'sealed', constraints: constraints('sealed.value') };
    const { id } = (await accepted(service, 'createSegment', { body: made })).body;
    await accepted(service, 'updateSegment', { params: { id }, body: { ...made, project: 'closed' } });
    const move = seq();
    await accepted(service, 'updateSegment', { params: { id }, body: { ...made, name: 'n', project: 'closed' } });
    for (const [token, revisions] of [
      [outsider, []],
      [member, [seq()]],
      [undefined, [seq(), move, move - 1]],
    ] as const) {
      const { body } = await accepted(service, 'getSegmentHistory', { params: { id }, ...(token && { token }) });
      const entries = (body.entries as Entry[]).filter(({ changes }) => changes.length > 0);
      expect(entries.map(({ revision }) => revision)).toEqual(revisions);
    }
  });
});

describe('the history of a flag in a private project', () => {
  it('is that of a flag that never was, for a caller who cannot see the project, whatever it is asked for', async () => {
    const name = 'submarine';
    await accepted(service, 'createSegment', { body: { name: 'deep', constraints: [] } });
    const { segments } = (await accepted(service, 'getSegments')).body;
    const segment = segments.find((one: { name: string }) => one.name === 'deep').id;
    await accepted(service, 'createFeature', { params: { projectId: 'closed' }, body: { name } });
    const params = { projectId: 'closed', featureName: name, environment: 'development' };
    await accepted(service, 'addFeatureStrategy', { params, body: { name: 'default', segments: [segment] } });
    const changed = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
    await accepted(service, 'updateSegment', { params: { id: segment }, body: { name: 'deep', constraints: changed } });
    const from = seq() - 2;
    const asks = (flag: string) =>
      [
        ['getFeatureHistory', { params: { projectId: 'default', featureName: flag } }],
        ['getHistory', { query: `type=feature&id=${flag}` }],
        ['getHistoryDifference', { query: `from=${from}&feature=${flag}` }],
      ] as const;
    for (const [index, [operationId, options]] of asks(name).entries()) {
      const hidden = await service.call(operationId, { ...options, token: outsider });
      const [, never] = asks('no-such-flag')[index] as (typeof asks extends (flag: string) => infer R
        ? R
        : never)[number];
      const none = await service.call(operationId, { ...never, token: outsider });
      expect([operationId, hidden.status, hidden.body]).toEqual([operationId, none.status, none.body]);
      expect(hidden.status).toBe(200);
      const seen = await service.call(operationId, { ...options, token: member });
      expect(seen.status === 404 || JSON.stringify(seen.body).includes(name), operationId).toBe(true);
    }
  });
});
