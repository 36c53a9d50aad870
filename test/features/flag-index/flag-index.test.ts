import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { visibleProjects } from '../../../src/access/visibility.ts';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { Mulberry32 } from '../../../src/base/mulberry32.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { fingerprintOf } from '../../../src/features/flag-index/fingerprint.ts';
import { FlagIndex } from '../../../src/features/flag-index/flag-index.ts';
import { IndexAnswers } from '../../../src/features/flag-index/index-answers.ts';
import { RecentChanges } from '../../../src/features/flags/recent-changes.ts';
import { type Caller, systemCaller } from '../../../src/model/caller.ts';
import { type Feature, tagText } from '../../../src/model/feature.ts';
import { projectRolesKey } from '../../../src/model/project-roles.ts';
import type { Draft } from '../../../src/state/draft.ts';
import { caller as callerOf, give, putGroup, user } from '../../access/people.ts';
import { accepted, FORBIDDEN, flag, INVALID, prepare, refused, switchedOn } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { changeAtRandom, FLAGS, PLACE, prepareProjects } from '../../support/random-changes.ts';
import { type CallResult, useService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';

interface Row {
  readonly name: string;
  readonly project: string;
  readonly type: string;
  readonly stale: boolean;
  readonly archived: boolean;
  readonly changedAt: Date;
  readonly favorite?: boolean;
  readonly createdAt?: Date;
  readonly tags?: readonly string[];
  readonly description?: string;
  readonly environments: readonly {
    readonly name: string;
    readonly isOn: boolean;
    readonly hasStrategies: boolean;
    readonly fingerprint?: string;
  }[];
}

/** What the request names beside the columns of every answer. */
type Fields = 'fingerprints' | 'details' | undefined;
const FIELDS: readonly Fields[] = [undefined, 'fingerprints', 'details'];

type Apply = (flags: Map<string, Row>, answer: unknown) => void;

/** The decoder of the documentation. */
async function decoder(): Promise<Apply> {
  const text = readFileSync(new URL('../../../docs/extend/flag-index.md', import.meta.url), 'utf8');
  const code = /```js\n(.*?)```/s.exec(text)?.[1] ?? '';
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).applyFlagIndex;
}

const service = useService();
let apply: Apply;

beforeAll(async () => {
  await prepareProjects(service);
  apply = await decoder();
});

const REVISION = 'burgee-index-revision';
const index = (query = '', token?: string, headers?: Record<string, string>): Promise<CallResult> =>
  service.call('getFlagIndex', { query, ...(token !== undefined && { token }), ...(headers && { headers }) });

/** The rows as the state has them, found by brute force. */
function expectedRows(caller: Caller, fields: Fields): Row[] {
  const { state } = service.running.services;
  const visible = visibleProjects(state, caller);
  const environments = [...state.values('environments')].map(({ name }) => name).sort();
  const rowOf = ({ name, project, type, stale, archived, ...feature }: Feature): Row => ({
    name,
    project,
    type,
    stale,
    archived,
    ...(fields === 'details' && {
      createdAt: new Date(feature.createdAt),
      tags: feature.tags.map(tagText),
      description: feature.description ?? '',
    }),
    changedAt: new Date(Math.floor(Date.parse(feature.changedAt ?? feature.createdAt) / 60_000) * 60_000),
    environments: environments.flatMap((environment) => {
      if (!state.get('projects', project)?.environments.includes(environment)) return [];
      const settings = feature.environments.find((one) => one.environment === environment);
      const fingerprint = fields === 'fingerprints' ? (settings ? atOnce(fingerprintOf(settings)) : '') : undefined;
      const hasStrategies = (settings?.strategies ?? []).length > 0;
      return [{ name: environment, isOn: settings?.enabled ?? false, hasStrategies, fingerprint }];
    }),
    favorite: caller.user !== null && state.get('favorites', `${caller.user}/feature/${name}`) !== undefined,
  });
  const rows = [...state.values('features')].filter(({ project }) => visible.has(project)).map(rowOf);
  return rows.sort((one, other) => (one.name < other.name ? -1 : 1));
}

const sortedRows = (flags: ReadonlyMap<string, Row>) =>
  [...flags.values()].sort((one, other) => (one.name < other.name ? -1 : 1));

/** A client that keeps the index current. */
class Client {
  readonly #flags = new Map<string, Row>();
  readonly #caller: Caller;
  readonly #token: string | undefined;
  readonly #fields: Fields;
  #revision: string | undefined;
  readonly seen = { whole: 0, differences: 0 };

  constructor(caller: Caller, token: string | undefined, fields: Fields) {
    this.#caller = caller;
    this.#token = token;
    this.#fields = fields;
  }

  async follow(): Promise<void> {
    const query = new URLSearchParams();
    if (this.#revision !== undefined) query.set('since', this.#revision);
    if (this.#fields) query.set('fields', this.#fields);
    const answer = await index(query.toString(), this.#token);
    expect(answer.status, answer.text).toBe(200);
    apply(this.#flags, answer.body);
    this.#revision = answer.headers.get(REVISION) ?? '';
    if (answer.body.isWhole) this.seen.whole++;
    else this.seen.differences++;
    expect(sortedRows(this.#flags)).toEqual(expectedRows(this.#caller, this.#fields));
  }
}

const SECRET = ['secret-1', 'secret-2'];

/** A random change of flags, of who sees them, or of what their rows depend on. */
async function changeAnything(random: Mulberry32, people: readonly number[]): Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
  const kind = random.next();
  if (kind < 0.5) return void (await changeAtRandom(service, random));
  const { state } = service.running.services;
  const [project, person] = [pick(SECRET), pick(people)];
  const name = `hidden-${Math.floor(random.next() * 12)}`;
  const changes: ((draft: Draft) => void)[] = [
    (draft) => draft.put('features', flag(name, { project, environments: [switchedOn('development')] })),
    (draft) => draft.put('features', flag(name, { project: pick([...SECRET, 'default']), stale: random.next() < 0.5 })),
    (draft) => state.get('features', name) && draft.remove('features', name),
    (draft) => give(draft, project, 'user', person, [5]),
    (draft) =>
      state.get('projectRoles', projectRolesKey(project, 'user', person)) &&
      draft.remove('projectRoles', projectRolesKey(project, 'user', person)),
    (draft) => give(draft, project, 'group', 1, [5]),
    (draft) =>
      state.get('projectRoles', projectRolesKey(project, 'group', 1)) &&
      draft.remove('projectRoles', projectRolesKey(project, 'group', 1)),
    (draft) => draft.put('users', user(person, { rootRole: random.next() < 0.2 ? 2 : 3 })),
    (draft) => draft.put('favorites', { userId: person, kind: 'feature', name: pick([...FLAGS, name]), createdAt: AT }),
    (draft) => {
      const found = state.get('projects', project);
      if (found && random.next() < 0.3)
        draft.put('projects', { ...found, mode: pick(['open', 'private', 'protected'] as const) });
    },
    (draft) => {
      const known = state.get('environments', 'extra');
      if (random.next() > 0.1) return;
      if (known) draft.remove('environments', 'extra');
      else {
        const [other] = state.values('environments');
        if (other) draft.put('environments', { ...other, name: 'extra' });
      }
    },
    (draft) => {
      if (random.next() > 0.1) return;
      for (let at = 0; at < 200; at++)
        draft.put('features', flag(`many-${at}`, { project: pick([...SECRET, 'other']), stale: random.next() < 0.5 }));
    },
  ];
  await prepare(service, pick(changes) as (draft: Draft) => void);
}

const AT = '2026-01-01T00:00:00.000Z';

/** The bytes of the answer of a new index, which has not followed any commit. */
async function fromScratch(caller: Caller, wanted: Fields) {
  const { replica, state } = service.running.services;
  const recent = new RecentChanges(replica);
  const made = new FlagIndex(replica, recent);
  const answer = await new IndexAnswers(made, recent, state).answer(caller, SERVICE, {
    ...(wanted && { fields: wanted }),
    known: '',
    gzip: true,
  });
  made.close();
  const { fields } = answer.head;
  const text = gunzipSync(Buffer.concat(answer.body?.parts ?? [])).toString();
  return { text, etag: fields[fields.indexOf('etag') + 1] };
}

describe('GET /api/admin/flag-index', () => {
  it('and its differences equal the state, for every caller, while flags, rights and projects change at random', async () => {
    const random = new Mulberry32(26);
    const people = [901, 902, 903];
    await prepare(service, (draft) => {
      const project = draft.get('projects', 'default');
      if (!project) return;
      for (const id of SECRET) draft.put('projects', { ...project, id, name: id, mode: 'private' });
      putGroup(draft, 1, [903]);
    });
    const clients = FIELDS.map((fields) => new Client(systemCaller(), undefined, fields));
    for (const id of people) {
      await putUser(service, id, { rootRole: 3 });
      const token = await personalTokenOf(service, id);
      clients.push(...FIELDS.map((fields) => new Client(callerOf(id), token, fields)));
    }
    for (const client of clients) await client.follow();
    for (let step = 0; step < atDepth({ quick: 60, full: 600 }); step++) {
      await changeAnything(random, people);
      for (const client of clients) if (random.next() < 0.4) await client.follow();
      if (step % 10 > 0) continue;
      const fields = FIELDS[Math.floor(random.next() * FIELDS.length)];
      const answer = await index(fields ? `fields=${fields}` : '');
      const anew = await fromScratch(systemCaller(), fields);
      expect([answer.text, answer.headers.get('etag')]).toEqual([anew.text, anew.etag]);
    }
    expect(clients.reduce((sum, { seen }) => sum + seen.whole, 0)).toBeGreaterThan(2 * clients.length);
    for (const { seen } of clients) expect(seen.differences).toBeGreaterThan(10);
  });

  it('has the same bytes however it came about, with many blocks', async () => {
    const random = new Mulberry32(7);
    const name = () => `block-${Math.floor(random.next() * 9_000)}`;
    const project = () => (random.next() < 0.3 ? 'secret-1' : random.next() < 0.5 ? 'default' : 'other');
    const { state } = service.running.services;
    await prepare(service, (draft) => {
      for (let at = 0; at < 6_000; at++) draft.put('features', flag(name(), { project: project() }));
    });
    for (let round = 0; round < atDepth({ quick: 6, full: 80 }); round++) {
      await prepare(service, (draft) => {
        for (let change = 0; change < 20; change++) {
          const changed = name();
          if (random.next() < 0.3 && state.get('features', changed) && draft.get('features', changed))
            draft.remove('features', changed);
          else draft.put('features', flag(changed, { project: project(), stale: random.next() < 0.5 }));
        }
      });
      const [answer, anew] = [await index(), await fromScratch(systemCaller(), undefined)];
      expect([answer.text, answer.headers.get('etag')]).toEqual([anew.text, anew.etag]);
      expect(answer.body.blocks.length).toBeGreaterThan(5);
      const rows = new Map<string, Row>();
      apply(rows, answer.body);
      expect(sortedRows(rows)).toEqual(expectedRows(systemCaller(), undefined));
    }
  });

  it('answers 304 to its ETag until a flag or a favourite changes, whatever else changes', async () => {
    await putUser(service, 950, { rootRole: 3 });
    const token = await personalTokenOf(service, 950);
    const first = await index('', token);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    await putUser(service, 951);
    const again = await index('', token, { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, again.text]).toEqual([304, '']);
    expect(again.headers.get(REVISION)).not.toBe(first.headers.get(REVISION));
    const params = { ...PLACE, featureName: 'index.etag' };
    await accepted(service, 'createFeature', { params, body: { name: 'index.etag' } });
    const second = await index('', token, { 'if-none-match': etag });
    expect(second.status).toBe(200);
    await accepted(service, 'addFavoriteFeature', { params, token });
    const third = await index('', token, { 'if-none-match': second.headers.get('etag') ?? '' });
    expect([third.status, third.body.favorites]).toEqual([200, ['index.etag']]);
    expect((await index('', token, { 'if-none-match': etag, 'accept-encoding': 'identity' })).body).toEqual(third.body);
  });

  it('is whole if the moment is unknown, of another history, of other rights, or too long ago', async () => {
    const { headers } = await index();
    const revision = headers.get(REVISION) ?? '';
    const { seq } = service.running.services.state;
    expect((await index(`since=${revision}`)).body).toMatchObject({ isWhole: false, blocks: [], removed: [] });
    for (const since of ['x', '', `${seq + 1}..all`, `${seq}.other.all`, `${seq}..abc`, '0..all', '-1..all'])
      expect((await index(`since=${since}`)).body.isWhole, since).toBe(true);
    await prepare(service, (draft) => {
      for (let at = 0; at < 100; at++) draft.put('features', flag(`few-${at}`));
    });
    const { body } = await index(`since=${revision}`);
    expect([body.isWhole, body.blocks[0].names.split(' ').length]).toEqual([false, 100]);
    for (let batch = 0; batch < 21; batch++)
      await prepare(service, (draft) => {
        for (let at = 0; at < 100; at++) draft.put('features', flag(`more-${batch}-${at}`));
      });
    expect((await index(`since=${revision}`)).body.isWhole).toBe(true);
    await refused(service, 'getFlagIndex', INVALID, { query: 'fields=all' });
    await refused(service, 'getFlagIndex', INVALID, { query: `since=${'1'.repeat(65)}` });
    await refused(service, 'getFlagIndex', FORBIDDEN, { token: '*:development.test-client' });
  });

  it('changes the time of the last change with each commit of the flag, and with no other', async () => {
    const params = { ...PLACE, featureName: 'index.time' };
    const changedAt = () => service.running.services.state.get('features', 'index.time')?.changedAt ?? '';
    await accepted(service, 'createFeature', { params, body: { name: 'index.time' } });
    const times = [changedAt()];
    for (const change of ['toggleFeatureEnvironmentOn', 'addTag', 'archiveFeature', 'reviveFeature']) {
      const before = changedAt();
      await expect.poll(() => new Date().toISOString() > before).toBe(true);
      await accepted(service, change, {
        params,
        ...(change === 'addTag' && { body: { type: 'simple', value: 'x1' } }),
      });
      times.push(changedAt());
    }
    expect([...new Set(times)].sort()).toEqual(times);
    const last = changedAt();
    await putUser(service, 960);
    expect(changedAt()).toBe(last);
    await expect.poll(() => new Date().toISOString() > last).toBe(true);
    await accepted(service, 'updateFeature', { params, body: { stale: false, type: 'release' } });
    expect(changedAt()).toBe(last);
    await accepted(service, 'updateFeature', { params, body: { stale: true } });
    expect(changedAt() > last).toBe(true);
  });
});
