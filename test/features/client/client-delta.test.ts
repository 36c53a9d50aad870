import { beforeAll, describe, expect, it } from 'vitest';
import { Flags } from '../../support/flags.ts';
import { applied, type DeltaList, EMPTY_LIST, inOrder } from '../../support/http/delta.ts';
import { CLIENT_TOKEN, startTestService, useService } from '../../support/service.ts';

const DEVELOPMENT = { environment: 'development' };

const service = useService();
let flags: Flags;
let tokens = 0;

beforeAll(async () => {
  flags = new Flags(service);
});

/** Asks as an SDK in delta mode does; `known` is its `If-None-Match`. */
async function ask(known?: string, token = CLIENT_TOKEN, query = '') {
  const answer = await fetch(`${service.url}/api/client/delta${query}`, {
    headers: {
      authorization: token,
      'unleash-client-spec': '5.2.0',
      ...(known !== undefined && { 'if-none-match': known }),
    },
  });
  const text = await answer.text();
  const etag = answer.headers.get('etag') ?? '';
  return { status: answer.status, etag, events: text === '' ? [] : JSON.parse(text).events, headers: answer.headers };
}

/** The list that an ordinary poll returns. */
async function polled(token = CLIENT_TOKEN, query = ''): Promise<DeltaList> {
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  const list = (await (await fetch(`${service.url}/api/client/features${query}`, { headers })).json()) as {
    features: { name: string }[];
    segments: { id: number }[];
  };
  return applied(EMPTY_LIST, [{ eventId: 0, type: 'hydration', features: list.features, segments: list.segments }]);
}

async function makeToken(projects: readonly string[]): Promise<string> {
  const body = { type: 'client', tokenName: `delta-${++tokens}`, environment: 'development', projects };
  return (await flags.call('createApiToken', {}, body)).body.secret;
}

/** A flag that is on, with a strategy that uses the segments. */
async function flagWith(segments: readonly number[], projectId = 'default'): Promise<string> {
  const featureName = await flags.create({}, projectId);
  const params = { featureName, projectId, ...DEVELOPMENT };
  await flags.call('addFeatureStrategy', params, { name: 'default', parameters: {}, segments });
  await flags.call('toggleFeatureEnvironmentOn', params);
  return featureName;
}

async function makeSegment(values: readonly string[]): Promise<number> {
  const constraints = [{ contextName: 'userId', operator: 'IN', values }];
  return (await flags.call('createSegment', {}, { name: flags.name('segment'), constraints })).body.id;
}

describe('GET /api/client/delta', () => {
  it('sends everything first and then the changes, which lead to the same list as polling', async () => {
    let list = EMPTY_LIST;
    const first = await ask();
    expect([first.status, first.events.map(({ type }: { type: string }) => type)]).toEqual([200, ['hydration']]);
    list = applied(list, first.events);
    expect(inOrder(list)).toEqual(inOrder(await polled()));

    const id = await makeSegment(['1']);
    const featureName = await flagWith([id]);
    const second = await ask(first.etag);
    const types = second.events.map(({ type }: { type: string }) => type);
    expect(types).toEqual(['segment-updated', 'feature-updated']);
    list = applied(list, second.events);
    expect(inOrder(list)).toEqual(inOrder(await polled()));
    expect(list.features.get(featureName)).toMatchObject({ enabled: true });

    await flags.call('updateSegment', { id }, { name: 'renamed', constraints: [] });
    const third = await ask(second.etag);
    expect(third.events).toMatchObject([{ type: 'segment-updated', segment: { id, constraints: [] } }]);

    await flags.call('archiveFeature', { featureName });
    const fourth = await ask(third.etag);
    expect(fourth.events).toMatchObject([
      { type: 'feature-removed', featureName, project: 'default' },
      { type: 'segment-removed', segmentId: id },
    ]);
    list = applied(applied(list, third.events), fourth.events);
    expect(inOrder(list)).toEqual(inOrder(await polled()));
    // All changes since the first answer, in one answer.
    list = applied(applied(EMPTY_LIST, first.events), (await ask(first.etag)).events);
    expect(inOrder(list)).toEqual(inOrder(await polled()));
  });

  it('answers 304 while nothing has changed, for every form of the ETag', async () => {
    const { etag } = await ask();
    expect(etag).toMatch(/^"\d+:[0-9a-f]{8}"$/);
    for (const known of [etag, etag.slice(1, -1), `W/${etag}`, etag.replace(/:.*(?=")/, '')]) {
      const answer = await ask(known);
      expect([answer.status, answer.etag]).toEqual([304, etag]);
    }
  });

  it('answers with everything when the client sends an ETag that the service never sent', async () => {
    await flags.create();
    const { etag } = await ask();
    const revision = Number.parseInt(etag.slice(1), 10);
    const others = [`"${revision}:00000000"`, `${etag.slice(0, -1)}.other"`];
    for (const known of ['"999999999"', '"nonsense"', '*', ...others, '"-1"', '""', '"1e3"']) {
      const answer = await ask(known);
      expect([known, answer.status, answer.events[0]?.type]).toEqual([known, 200, 'hydration']);
      expect(answer.etag).toBe(etag);
    }
  });

  it('sends nothing about changes outside the projects and the environment of the token', async () => {
    await flags.call('createProject', {}, { id: 'elsewhere', name: 'elsewhere' });
    const mine = await makeToken(['default']);
    const { etag } = await ask(undefined, mine);
    const featureName = await flagWith([], 'elsewhere');
    const production = { featureName: await flags.create(), environment: 'production' };
    const afterCreation = await ask(etag, mine);
    await flags.call('addFeatureStrategy', production, { name: 'default', parameters: {} });
    expect(JSON.stringify(afterCreation.events)).not.toContain(featureName);
    expect((await ask(afterCreation.etag, mine)).status).toBe(304);
    const both = await makeToken(['default', 'elsewhere']);
    const before = await ask(undefined, both);
    expect(JSON.stringify(before.events)).toContain(featureName);
    // A flag that is archived is removed.
    await flags.call('archiveFeature', { projectId: 'elsewhere', featureName });
    expect((await ask(before.etag, both)).events).toMatchObject([
      { type: 'feature-removed', featureName, project: 'elsewhere' },
    ]);
  });

  it('answers with everything to a client that comes from another scope, and that never received unchanged flags', async () => {
    await flags.call('createProject', {}, { id: 'apart', name: 'apart' });
    const { etag } = await ask(undefined, await makeToken(['default']));
    const wider = await ask(etag, await makeToken(['default', 'apart']));
    expect(wider.events[0]).toMatchObject({ type: 'hydration' });
  });

  it('filters as the list does', async () => {
    const featureName = await flagWith([]);
    for (const query of [`?namePrefix=${featureName}`, '?project=default', '?project=elsewhere', '?namePrefix=none']) {
      const first = await ask(undefined, CLIENT_TOKEN, query);
      expect(inOrder(applied(EMPTY_LIST, first.events))).toEqual(inOrder(await polled(CLIENT_TOKEN, query)));
      await flagWith([]);
      await flags.call('toggleFeatureEnvironmentOff', { featureName, ...DEVELOPMENT });
      const second = await ask(first.etag, CLIENT_TOKEN, query);
      const list = applied(applied(EMPTY_LIST, first.events), second.events);
      expect(inOrder(list)).toEqual(inOrder(await polled(CLIENT_TOKEN, query)));
      await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEVELOPMENT });
    }
  });

  it('with a filter by project sends the removal of a flag that now exists in another project', async () => {
    await flags.call('createProject', {}, { id: 'left', name: 'left' });
    await flags.call('createProject', {}, { id: 'entered', name: 'entered' });
    const featureName = await flagWith([], 'left');
    const [left, entered] = ['?project=left', '?project=entered'];
    const before = await ask(undefined, CLIENT_TOKEN, left);
    const beforeEntered = await ask(undefined, CLIENT_TOKEN, entered);
    await flags.call('archiveFeature', { projectId: 'left', featureName });
    await flags.call('deleteFeature', { featureName });
    await flags.call('createFeature', { projectId: 'entered' }, { name: featureName });
    expect((await ask(before.etag, CLIENT_TOKEN, left)).events).toEqual([
      { eventId: expect.any(Number), type: 'feature-removed', featureName, project: 'left' },
    ]);
    expect((await ask(beforeEntered.etag, CLIENT_TOKEN, entered)).events).toMatchObject([
      { type: 'feature-updated', feature: { name: featureName, project: 'entered' } },
    ]);
  });

  it('with a filter by tag answers with everything after each change, because revisions do not cover tags', async () => {
    const featureName = await flagWith([]);
    const query = '?tag=simple:delta';
    const first = await ask(undefined, CLIENT_TOKEN, query);
    expect(first.events[0].features).toEqual([]);
    expect((await ask(first.etag, CLIENT_TOKEN, query)).status).toBe(304);
    await flags.call('addTag', { featureName }, { type: 'simple', value: 'delta' });
    const second = await ask(first.etag, CLIENT_TOKEN, query);
    expect(second.events[0]).toMatchObject({ type: 'hydration', features: [{ name: featureName }] });
  });

  it('is compressed for clients that accept it, with the same content', async () => {
    const compressed = await fetch(`${service.url}/api/client/delta`, {
      headers: { authorization: CLIENT_TOKEN, 'accept-encoding': 'gzip' },
    });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(((await compressed.json()) as { events: unknown }).events).toEqual((await ask()).events);
  });

  it('remembers as many commits as DELTA_COMMITS allows', async () => {
    const other = await startTestService({ env: { DELTA_COMMITS: '2' } });
    const made = new Flags(other);
    const askOther = async (known: string) => {
      const headers = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0', 'if-none-match': known };
      const answer = await fetch(`${other.url}/api/client/delta`, { headers });
      const { events } = (await answer.json()) as { events: { type: string }[] };
      return { etag: answer.headers.get('etag') ?? '', types: events.map(({ type }) => type) };
    };
    const featureName = await made.createFor([]);
    const turn = (way: string) => made.call(`toggleFeatureEnvironment${way}`, { featureName, ...DEVELOPMENT });
    const { etag } = await askOther('');
    for (const way of ['Off', 'On']) await turn(way);
    expect((await askOther(etag)).types).toEqual(['feature-updated']);
    await turn('Off');
    expect((await askOther(etag)).types).toEqual(['hydration']);
    await other.close();
  });

  it('refuses an unknown token and an invalid filter', async () => {
    expect((await ask(undefined, 'unknown')).status).toBe(401);
    expect((await ask(undefined, CLIENT_TOKEN, '?tag=no-colon')).status).toBe(400);
  });
});
