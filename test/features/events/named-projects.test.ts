import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPES, type EventType } from '../../../src/model/event.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { isProjectField } from '../../../src/state/named-projects.ts';
import { give } from '../../access/people.ts';
import { accepted, prepare } from '../../support/admin.ts';
import { ADDON_ENV, startReceiver, webhookTo } from '../../support/http/receiver.ts';
import { browserOf, personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, type CallOptions, useService } from '../../support/service.ts';
import { isDeep } from '../../support/tiers/depth.ts';
import { until } from '../../support/until.ts';

const service = useService({ env: ADDON_ENV });

/** Every field of the API whose name says project, with whether its values are texts or lists of texts. */
function projectFields(): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>();
  const isText = (schema: Schema): boolean =>
    schema.type === 'string' ||
    (schema.type === 'array' && isText(schema.items ?? {})) ||
    (schema.anyOf ?? []).some(isText);
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, schema] of Object.entries((value as Schema).properties ?? {})) {
      if (/project/i.test(name)) found.set(name, found.get(name) === true || isText(schema));
    }
    Object.values(value).forEach(walk);
  };
  walk(JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')));
  return found;
}

interface Schema {
  readonly type?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Fields of events that are in no answer of the API: those of a flag that moves. */
const OF_MOVES = ['oldProject', 'newProject'];
/** A text that is no id: answers add the name of a project to its id. No entity has it. */
const NO_IDS = ['projectName'];
const FIELDS = [...projectFields()].filter(([name, isText]) => isText && !NO_IDS.includes(name)).map(([name]) => name);

/** The ways in which data can name a project. */
const SHAPES: readonly ((field: string, project: string) => object)[] = [
  (field, project) => ({ [field]: project }),
  (field, project) => ({ [field]: ['default', project] }),
  (field, project) => ({ actions: [{ executionParams: { [field]: project } }] }),
  (field, project) => ({
    padding: 'x'.repeat(5_000),
    rows: Array.from({ length: 20 }, () => ({ a: 1 })),
    [field]: project,
  }),
];

const PLANTED = /planted-[\w-]+/g;
const HIDDEN = 'secret-harbour';
const events: {
  readonly type: EventType;
  readonly data: unknown;
  readonly preData: unknown;
  readonly project?: string;
}[] = [];

beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: HIDDEN, name: HIDDEN, mode: 'private' } });
  await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'open-flag' } });
  for (const [index, type] of EVENT_TYPES.entries()) {
    for (const [number, field] of [...FIELDS, ...OF_MOVES].entries()) {
      if (!isDeep && (index + number) % 3 !== 0) continue;
      const shape = SHAPES[(index + number) % SHAPES.length] as (typeof SHAPES)[number];
      for (const at of ['data', 'preData'] as const) {
        const value = { note: `planted-${type}-${field}-${at}`, ...shape(field, HIDDEN) };
        const other = { [field]: 'default', name: `planted-${type}-${field}-${at}` };
        const [data, preData] = at === 'data' ? [value, other] : [other, value];
        events.push({ type, data, preData, ...((index + number) % 2 === 0 && { project: 'default' }) });
      }
    }
  }
  for (let at = 0; at < events.length; at += 100) {
    const slice = events.slice(at, at + 100);
    const command = {
      decide: ({ emit }: { emit(event: object): void }) => {
        for (const event of slice) emit({ ...event, featureName: 'open-flag' });
      },
    };
    const outcome = await service.running.services.writer.submit(command as never, undefined, {
      id: 77,
      name: 'planter',
    });
    expect(outcome).toHaveProperty('seq');
  }
});

let everybody: Awaited<ReturnType<typeof callers>>;

beforeAll(async () => {
  everybody = await callers();
});

type Who = Pick<CallOptions, 'token' | 'headers'>;

/** Each kind of caller of the admin API, and whether it sees the hidden project. */
async function callers(): Promise<ReadonlyMap<string, { readonly who: Who; readonly seesAll: boolean }>> {
  const person = async (id: number, rootRole: number, rest: object = {}) => {
    await putUser(service, id, { rootRole, ...rest });
    return personalTokenOf(service, id);
  };
  const member = await person(953, ROLE_ID.viewer);
  await prepare(service, (draft) => give(draft, HIDDEN, 'user', 953, [ROLE_ID.member]));
  const elsewhere = await person(954, ROLE_ID.viewer);
  await prepare(service, (draft) => give(draft, 'default', 'user', 954, [ROLE_ID.owner]));
  await putUser(service, 957, { rootRole: ROLE_ID.viewer });
  return new Map([
    ['an admin token', { who: { token: ADMIN_TOKEN }, seesAll: true }],
    ['an admin', { who: { token: await person(951, ROLE_ID.admin) }, seesAll: true }],
    ['a member of the project', { who: { token: member }, seesAll: true }],
    ['a viewer', { who: { token: await person(952, ROLE_ID.viewer) }, seesAll: false }],
    // Root roles above Viewer see every project.
    ['an editor', { who: { token: await person(955, ROLE_ID.editor) }, seesAll: true }],
    ['an owner of another project', { who: { token: elsewhere }, seesAll: false }],
    [
      'a service account',
      { who: { token: await person(956, ROLE_ID.viewer, { accountType: 'Service Account' }) }, seesAll: false },
    ],
    ['a viewer in a browser', { who: { token: '', headers: await browserOf(service, 957) }, seesAll: false }],
  ]);
}

/** Reads all pages. Returns the texts of the answers. */
type Read = (who: Who) => Promise<string>;

const paged =
  (operationId: string, params: object, next: (offset: number) => object, size: number): Read =>
  async (who) => {
    const texts: string[] = [];
    for (let offset = 0; offset < events.length + 100; offset += size) {
      texts.push((await accepted(service, operationId, { ...who, params, ...next(offset) } as CallOptions)).text);
    }
    return texts.join();
  };
const once =
  (operationId: string, options: Omit<CallOptions, 'token'> = {}): Read =>
  async (who) =>
    (await accepted(service, operationId, { ...options, ...who })).text;

const newest = () => service.running.services.state.lastEventId;
const READERS: Readonly<Record<string, Read>> = {
  'the list of events': paged(
    'getEvents',
    {},
    (offset) => ({ query: `limit=1000&offset=${newest() - offset}` }),
    1_000,
  ),
  'the events of a project': paged(
    'getEvents',
    {},
    (offset) => ({ query: `limit=1000&project=default&offset=${newest() - offset}` }),
    1_000,
  ),
  'the search': paged('searchEventsByQuery', {}, (offset) => ({ query: `limit=1000&offset=${offset}` }), 1_000),
  'the search for a text': paged(
    'searchEventsByQuery',
    {},
    (offset) => ({ query: `limit=1000&query=planted&offset=${offset}` }),
    1_000,
  ),
  'the summaries': paged(
    'searchEventsByQuery',
    {},
    (offset) => ({ query: `limit=1000&fields=summary&offset=${offset}` }),
    1_000,
  ),
  'the older search': paged(
    'searchEvents',
    {},
    (offset) => ({ body: { limit: 100, offset: Math.max(0, newest() - offset) } }),
    100,
  ),
  'the events of a flag': paged(
    'getEventsForToggle',
    { featureName: 'open-flag' },
    (offset) => ({ query: `limit=100&offset=${Math.max(0, newest() - offset)}` }),
    100,
  ),
  'the dashboard of a project': once('getPersonalDashboardProjectDetails', { params: { projectId: 'default' } }),
  'the history': once('getHistory'),
  'the history of a project': once('getProjectHistory', { params: { projectId: 'default' } }),
  'the history of a flag': once('getFeatureHistory', {
    params: { projectId: 'default', featureName: 'open-flag' },
  }),
  'the users who caused events': once('getEventCreators'),
};

describe('the fields that name projects', () => {
  it('are all known: each field of the API whose name says project is one, or is listed with its reason', () => {
    expect(FIELDS.length).toBeGreaterThan(3);
    expect([...FIELDS, ...OF_MOVES].filter((name) => !isProjectField(name))).toEqual([]);
    for (const name of NO_IDS) expect(isProjectField(name)).toBe(false);
  });
});

describe('an event whose data names a private project', () => {
  it.each(Object.entries(READERS))('is shown only to callers who see this project: %s', async (name, read) => {
    for (const [caller, { who, seesAll }] of everybody) {
      const text = await read(who);
      const shown = new Set(text.match(PLANTED) ?? []);
      const namesHidden = text.includes(HIDDEN) || text.includes('planter');
      if (!seesAll) expect([caller, [...shown].slice(0, 3), namesHidden]).toEqual([caller, [], false]);
      // The readers that list events show each of them to those who see all of it.
      const listsAll = /^the (list|search$|search for|older|events of a flag)/.test(name);
      if (seesAll && listsAll) expect([caller, shown.size]).toEqual([caller, events.length]);
    }
  });

  it('is sent by integrations for all projects and for this one, and by no integration for another project', async () => {
    const receivers = { all: await startReceiver(), other: await startReceiver(), both: await startReceiver() };
    try {
      const types = ['feature-created', 'project-updated', 'setting-updated'];
      const create = (url: string, projects: readonly string[]) =>
        accepted(service, 'createAddon', { body: webhookTo(url, { events: types, projects }) });
      await create(receivers.all.url, []);
      await create(receivers.other.url, ['default']);
      await create(receivers.both.url, ['default', HIDDEN]);
      const command = {
        decide: ({ emit }: { emit(event: object): void }) => {
          emit({ type: 'setting-updated', data: { projects: [HIDDEN], note: 'planted-a' } });
          emit({ type: 'project-updated', project: 'default', data: { note: 'planted-b', oldProject: HIDDEN } });
          emit({ type: 'feature-created', project: `default,${HIDDEN}`, data: { note: 'planted-c' } });
          emit({ type: 'project-updated', project: 'default', data: { note: 'planted-last', project: 'default' } });
        },
      };
      await service.running.services.writer.submit(command as never, undefined, { id: 1, name: 'test' });
      const planted = ({ received }: (typeof receivers)['all']) =>
        received.flatMap(({ body }) => body.match(PLANTED) ?? []);
      for (const receiver of Object.values(receivers)) {
        await until(
          () => planted(receiver),
          (notes) => notes.includes('planted-last'),
        );
      }
      expect(planted(receivers.all)).toEqual(['planted-a', 'planted-b', 'planted-c', 'planted-last']);
      expect(planted(receivers.both)).toEqual(['planted-a', 'planted-b', 'planted-c', 'planted-last']);
      expect(planted(receivers.other)).toEqual(['planted-last']);
    } finally {
      for (const receiver of Object.values(receivers)) await receiver.close();
    }
  });
});
