import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { EventStream } from '../../support/http/event-stream.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, useFreshService } from '../../support/service.ts';
import { untilNextMillisecond } from '../../support/until.ts';

interface CommitData {
  readonly revision: number;
  readonly at: string;
  readonly touched: readonly { readonly project: string; readonly environment: string }[];
  readonly more: boolean;
  readonly concerned: number;
  readonly have: number;
  readonly unknown: number;
  readonly share: number;
  readonly tookMs: { readonly p50: number; readonly p99: number; readonly last: number } | null;
  readonly slowest: { readonly appName: string; readonly environment: string; readonly tookMs: number | null } | null;
  readonly final: boolean;
}

type Stream = EventStream<CommitData>;

const service = useFreshService();
let flags: Flags;
const open: Stream[] = [];

beforeEach(async () => {
  flags = new Flags(service);
});

afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
});

async function follow(headers: Record<string, string> = { authorization: ADMIN_TOKEN }): Promise<Stream> {
  const stream = await EventStream.open<CommitData>(`${service.url}/api/admin/propagation`, headers);
  open.push(stream);
  return stream;
}

/** The newest event of each revision since the last `connected`. */
function shown({ events }: Stream): ReadonlyMap<number, CommitData> {
  const from = events.findLastIndex(({ event }) => event === 'connected');
  return new Map(events.slice(from + 1).map(({ data }) => [data.revision, data]));
}

async function until(stream: Stream, revision: number, isSo: (data: CommitData) => boolean): Promise<CommitData> {
  const found = () => shown(stream).get(revision);
  await stream.until(() => {
    const data = found();
    return data !== undefined && isSo(data);
  });
  return found() as CommitData;
}

/** Switches a new flag on, and returns the revision. */
async function change(projectId = 'default', environment = 'development'): Promise<number> {
  const featureName = await flags.create({}, projectId);
  const params = { projectId, featureName, environment };
  const { headers } = await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  return Number(headers.get('burgee-revision'));
}

/** An SDK that has registered. Returns its poll, which sends the ETag of the poll before. */
async function sdk(id: string, appName: string): Promise<() => Promise<number>> {
  await accepted(service, 'registerClientApplication', { body: { appName, connectionId: id } });
  let etag = '';
  const poll = async () => {
    const headers: Record<string, string> = {
      authorization: CLIENT_TOKEN,
      'unleash-connection-id': id,
      'unleash-appname': appName,
      ...(etag === '' ? {} : { 'if-none-match': etag }),
    };
    const answer = await fetch(`${service.url}/api/client/features`, { headers });
    await answer.text();
    etag = answer.headers.get('etag') ?? etag;
    return answer.status;
  };
  await poll();
  return poll;
}

describe('GET /api/admin/propagation', () => {
  it('sends each commit, which SDKs it reached, which application is the slowest, and ends when all have it', async () => {
    const [shop, billing] = [await sdk('1', 'shop'), await sdk('2', 'billing')];
    const stream = await follow();
    const revision = await change();
    const sent = await until(stream, revision, () => true);
    expect(sent).toMatchObject({
      revision,
      concerned: 2,
      have: 0,
      unknown: 0,
      share: 0,
      tookMs: null,
      more: false,
      final: false,
      touched: [{ project: 'default', environment: 'development' }],
    });
    expect(await shop()).toBe(200);
    const half = await until(stream, revision, ({ have }) => have === 1);
    expect(half).toMatchObject({
      share: 0.5,
      slowest: { appName: 'billing', environment: 'development', tookMs: null },
    });
    expect(await billing()).toBe(200);
    const whole = await until(stream, revision, ({ have }) => have === 2);
    expect(whole).toMatchObject({ share: 1, slowest: { appName: 'billing', environment: 'development' } });
    expect(whole.slowest?.tookMs).toBe(whole.tookMs?.last);
    const last = await until(stream, revision, ({ final }) => final);
    const { body } = await accepted(service, 'getPropagation', { params: { revision } });
    const { concerned, have, unknown, share, tookMs } = last;
    expect(body).toMatchObject({ concerned, have, unknown, share, tookMs });
    // An SDK that lags again changes only commits that are not final.
    const { length } = stream.events.filter(({ data }) => data.revision === revision);
    const next = await change();
    await until(stream, next, ({ have: having }) => having === 0);
    expect(stream.events.filter(({ data }) => data.revision === revision)).toHaveLength(length);
  });

  it('begins with the newest fifty commits that SDKs see, the oldest first, and states unknown SDKs apart', async () => {
    const made: number[] = [];
    for (let count = 0; count < 30; count++) made.push(await change());
    const newest = made.at(-1) as number;
    await untilNextMillisecond();
    await sdk('late', 'shop');
    const stream = await follow();
    expect(await until(stream, newest, () => true)).toMatchObject({ concerned: 0, have: 0, unknown: 1, tookMs: null });
    const revisions = [...shown(stream).keys()];
    expect(revisions).toHaveLength(50);
    expect(revisions).toEqual([...revisions].sort((left, right) => left - right));
    expect(revisions).toContain(made[10]);
    expect(revisions).not.toContain(made[0]);
  });

  it('leaves out what a user may not see, and begins anew when that changes', async () => {
    await flags.call('createProject', {}, { id: 'secret', name: 'Secret', mode: 'private' });
    await putUser(service, 4_101, { rootRole: 3 });
    await sdk('1', 'shop');
    const [person, everything] = [await follow(await browserOf(service, 4_101)), await follow()];
    const hidden = await change('secret');
    const visible = await change();
    await until(everything, hidden, () => true);
    await until(person, visible, () => true);
    expect(shown(person).has(hidden)).toBe(false);
    expect(JSON.stringify(person.events)).not.toContain('secret');

    const role = { projectId: 'secret', id: 4_101 };
    await flags.call('setRolesForProjectUser', role, { roles: [5] });
    await until(person, hidden, ({ concerned }) => concerned === 1);
    await flags.call('removeAccessOfProjectUser', role);
    await change('secret');
    const last = await change();
    await until(person, last, () => true);
    expect([...shown(person).values()].flatMap(({ touched }) => touched.map(({ project }) => project))).not.toContain(
      'secret',
    );
    expect(shown(person).has(visible)).toBe(true);
  });

  it('answers 401 without a credential and 403 for tokens of SDKs', async () => {
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(`${service.url}/api/admin/propagation`, { headers })).status;
    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ authorization: CLIENT_TOKEN })).toBe(403);
  });
});
