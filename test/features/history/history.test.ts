import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Mulberry32 } from '../../../src/base/mulberry32.ts';
import { fieldChanges } from '../../../src/features/shared/field-changes.ts';
import type { Feature } from '../../../src/model/feature.ts';
import type { Segment } from '../../../src/model/segment.ts';
import { accepted, INVALID, refused } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { changeAtRandom, FLAGS, PLACE, prepareProjects } from '../../support/random-changes.ts';
import { useService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';

const service = useService();

beforeAll(async () => {
  await prepareProjects(service);
});

interface Change {
  readonly type: string;
  readonly id: string;
  readonly project: string | null;
  readonly environment: string | null;
  readonly kind: string;
  readonly fields: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[];
}

interface Entry {
  readonly revision: number;
  readonly at: string;
  readonly author: { readonly id: number };
  readonly changes: readonly Change[];
}

/** The flags and segments after each commit, as the state had them. */
class Recorder {
  readonly features = new Map<number, ReadonlyMap<string, Feature>>();
  readonly segments = new Map<number, ReadonlyMap<string, Segment>>();

  constructor() {
    const { replica } = service.running.services;
    this.#record();
    replica.onApplied(() => this.#record());
  }

  #record(): void {
    const { state } = service.running.services;
    this.features.set(state.seq, new Map(state.entries('features')));
    this.segments.set(state.seq, new Map(state.entries('segments')));
  }
}

async function wholeHistory(operationId: string, params: Record<string, string>, filters = ''): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let before = ''; ; ) {
    const { body } = await accepted(service, operationId, { params, query: `limit=7${before}${filters}` });
    entries.push(...body.entries);
    if (body.next === null) return entries;
    before = `&before=${body.next}`;
  }
}

const withoutDerived = (feature: Feature | undefined) => {
  if (!feature) return undefined;
  const { environments: _environments, collaborators: _collaborators, changedAt: _changedAt, ...base } = feature;
  return base;
};

const settings = (feature: Feature | undefined) =>
  new Map((feature?.environments ?? []).map((one) => [one.environment, one]));

/** The changes of one flag between two states, found by comparing them. */
function expectedChanges(before: Feature | undefined, after: Feature | undefined): unknown[] {
  const id = (after ?? before)?.name;
  const found: unknown[] = [];
  const base = fieldChanges(withoutDerived(before), withoutDerived(after));
  const kind = before ? (after ? 'changed' : 'deleted') : 'created';
  if (base.length > 0) found.push({ type: 'feature', id, environment: null, name: null, kind, fields: base });
  if (!before) return found;
  const [left, right] = [settings(before), settings(after)];
  for (const environment of new Set([...left.keys(), ...right.keys()])) {
    const fields = fieldChanges(left.get(environment), right.get(environment));
    if (fields.length > 0) found.push({ type: 'feature', id, environment, name: null, kind: 'changed', fields });
  }
  return found;
}

const uses = (feature: Feature | undefined, segment: string) =>
  feature?.environments.some((one) => one.strategies.some(({ segments }) => segments.includes(Number(segment)))) ===
  true;

const byEnvironment = (left: { environment?: unknown }, right: { environment?: unknown }) =>
  String(left.environment) < String(right.environment) ? -1 : 1;

describe('the history of a flag', () => {
  it('has exactly the differences between the states, with those of the segments that it used', async () => {
    const recorder = new Recorder();
    const first = service.running.services.state.seq;
    const random = new Mulberry32(7);
    for (let step = 0; step < atDepth({ quick: 300, full: 1_500 }); step++) await changeAtRandom(service, random);
    const last = service.running.services.state.seq;
    let [own, nested] = [0, 0];
    for (const name of FLAGS) {
      const entries = await wholeHistory('getFeatureHistory', { ...projectOf(name), featureName: name });
      const found = new Map(entries.map((entry) => [entry.revision, entry.changes]));
      for (let revision = first + 1; revision <= last; revision++) {
        const [before, after] = [
          recorder.features.get(revision - 1)?.get(name),
          recorder.features.get(revision)?.get(name),
        ];
        const changes = found.get(revision) ?? [];
        const ofFlag = changes.filter(({ type }) => type === 'feature').map(({ project: _project, ...rest }) => rest);
        expect(ofFlag.sort(byEnvironment), `${name} at ${revision}`).toEqual(
          expectedChanges(before, after).sort(byEnvironment as never),
        );
        own += ofFlag.length;
        const segmentsBefore = recorder.segments.get(revision - 1);
        const segmentsAfter = recorder.segments.get(revision);
        const changed = ['1', '2', '3'].filter(
          (id) =>
            (uses(before, id) || uses(after, id)) &&
            fieldChanges(segmentsBefore?.get(id), segmentsAfter?.get(id)).length > 0,
        );
        expect(changes.filter(({ type }) => type === 'segment').map(({ id }) => id)).toEqual(changed);
        nested += changed.length;
      }
    }
    expect(own).toBeGreaterThan(30);
    expect(nested).toBeGreaterThan(0);
  });

  it('is part of the histories of the project, the environment and the instance', async () => {
    const instance = await wholeHistory('getHistory', {});
    const inInstance = new Map(instance.map(({ revision, changes }) => [revision, JSON.stringify(changes)]));
    for (const [operationId, params] of [
      ['getProjectHistory', { projectId: 'default' }],
      ['getEnvironmentHistory', { name: 'production' }],
      ['getSegmentHistory', { id: '1' }],
    ] as const) {
      const entries = await wholeHistory(operationId, params);
      expect(entries.length, operationId).toBeGreaterThan(1);
      for (const { revision, changes } of entries) {
        for (const change of changes) expect(inInstance.get(revision)).toContain(JSON.stringify(change));
      }
      const revisions = entries.map(({ revision }) => revision);
      expect(revisions).toEqual([...new Set(revisions)].sort((left, right) => right - left));
    }
  });

  it('can be limited to the commits of one person and of a time', async () => {
    await putUser(service, 104, { username: 'sam', rootRole: 1 });
    const headers = await browserOf(service, 104);
    const describes = (description: string, as: object) =>
      accepted(service, 'updateProject', { params: { projectId: 'default' }, body: { name: 'D', description }, ...as });
    for (const text of ['one', 'two', 'three', 'four']) {
      await describes(text, {});
      await describes(`${text} by Sam`, { token: null, headers });
    }
    const all = await wholeHistory('getHistory', {});
    const sams = all.filter(({ author }) => author.id === 104);
    expect(sams.length).toBe(4);
    const [to = '', from = ''] = [sams.at(1)?.at, sams.at(2)?.at];
    const inTime = ({ at }: Entry) => at >= from && at <= to;
    const project = { projectId: 'default' };
    expect(await wholeHistory('getHistory', {}, '&createdBy=104')).toEqual(sams);
    expect(await wholeHistory('getProjectHistory', project, '&createdBy=104')).toEqual(sams);
    expect(await wholeHistory('getHistory', {}, `&from=${from}&to=${to}`)).toEqual(all.filter(inTime));
    expect(await wholeHistory('getHistory', {}, `&from=${from}&to=${to}&createdBy=104`)).toEqual(sams.filter(inTime));
    expect(await wholeHistory('getHistory', {}, `&from=${to}&to=${from}`)).toEqual(
      from === to ? all.filter(inTime) : [],
    );
    // A date alone is the moment at which the day begins.
    const day = to.slice(0, 10);
    const midnight = `${day}T00:00:00.000Z`;
    expect(await wholeHistory('getHistory', {}, `&to=${day}`)).toEqual(all.filter(({ at }) => at <= midnight));
    expect(await wholeHistory('getHistory', {}, `&from=${day}`)).toEqual(all.filter(({ at }) => at >= midnight));
    for (const query of ['from=yesterday', 'to=7', 'createdBy=sam'])
      await refused(service, 'getHistory', INVALID, { query });
  });

  it('of one person begins with their newest commit, without reading those of others after it', async () => {
    await putUser(service, 105, { username: 'kim', rootRole: 1 });
    const headers = await browserOf(service, 105);
    const project = { projectId: 'default' };
    const describes = (description: string, as: object) =>
      accepted(service, 'updateProject', { params: project, body: { name: 'D', description }, ...as });
    await describes('by Kim', { token: null, headers });
    const { body: newest } = await accepted(service, 'getEvents', { query: 'limit=1' });
    for (const text of ['five', 'six', 'seven']) await describes(text, {});
    const read = vi.spyOn(service.running.services.eventIndex, 'read');
    for (const operationId of ['getHistory', 'getProjectHistory']) {
      read.mockClear();
      const { body } = await accepted(service, operationId, { params: project, query: 'limit=1&createdBy=105' });
      expect(body.entries.map(({ author }: Entry) => author.id)).toEqual([105]);
      // The state at that commit is made of the events after it, each at most once for every part: that of the project.
      const [ofHistory] = read.mock.calls[0] ?? [];
      expect(Math.max(...(ofHistory ?? []))).toBe(newest.events[0].id);
    }
    expect((await accepted(service, 'getHistory', { query: 'createdBy=987654' })).body).toEqual({
      entries: [],
      next: null,
    });
  });
});

describe('many histories at once', () => {
  it('of different people wait for their turn; of one person, only a few wait', async () => {
    const PEOPLE = 40;
    const ids = Array.from({ length: PEOPLE }, (_, index) => 1_000 + index);
    const browsers: Record<string, string>[] = [];
    for (const id of ids) {
      await putUser(service, id, { username: `reader-${id}`, rootRole: 3 });
      browsers.push(await browserOf(service, id));
    }
    // Equal requests would share one reading.
    const call = (headers: Record<string, string> | undefined, index: number) =>
      service.call('getHistory', { token: null, headers: headers ?? {}, query: `limit=${15 + index}` });
    const answers = await Promise.all(browsers.map(call));
    expect(answers.map(({ status }) => status)).toEqual(browsers.map(() => 200));

    const { pastReads } = service.running.services;
    const ends = await Promise.all(Array.from({ length: 8 }, (_, reader) => pastReads.take(`reader ${reader}`)));
    const waiting = Array.from({ length: 5 }, (_, index) => call(browsers[0], PEOPLE + index));
    // One of the five is refused while nothing can be read; the others are answered later.
    const refusal = await Promise.race(waiting);
    expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([429, '1']);
    for (const end of ends) end();
    expect((await Promise.all(waiting)).map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429]);
  });
});

/** The project of a flag; a flag that was deleted is looked for in the first one. */
function projectOf(name: string): { readonly projectId: string } {
  return { projectId: service.running.services.state.get('features', name)?.project ?? PLACE.projectId };
}
