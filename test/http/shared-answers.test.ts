import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import Type from 'typebox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import type { Answer } from '../../src/http/answer.ts';
import { projectRolesKey } from '../../src/model/project-roles.ts';
import { ROLE_ID } from '../../src/model/role.ts';
import { give } from '../access/people.ts';
import { accepted, INVALID, prepare, refused } from '../support/admin.ts';
import { endpoint, startTestServer, type TestServer } from '../support/http/http-server.ts';
import { browserOf, putUser } from '../support/people.ts';
import { useService } from '../support/service.ts';
import { untilTrue } from '../support/until.ts';

const service = useService();
const PEOPLE = { editor: 901, other: 902, viewer: 903, viewer2: 904, member: 905, member2: 906 } as const;
type Person = keyof typeof PEOPLE;
const headersOf = new Map<Person, Record<string, string>>();
/** The searches that were carried out. */
let searches: MockInstance;

beforeAll(async () => {
  for (const [name, id] of Object.entries(PEOPLE)) {
    await putUser(service, id, { rootRole: /editor|other/.test(name) ? ROLE_ID.editor : ROLE_ID.viewer });
    headersOf.set(name as Person, await browserOf(service, id));
  }
  await accepted(service, 'createProject', { body: { id: 'closed', name: 'closed', mode: 'private' } });
  for (const id of [PEOPLE.member, PEOPLE.member2])
    await prepare(service, (draft) => give(draft, 'closed', 'user', id, [ROLE_ID.member]));
  await createFlag('closed', 'secret-flag');
  await createFlag('default', 'open-flag');
});

beforeEach(() => {
  // An answer is shared for a second, whatever the machine does meanwhile.
  const nowMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  searches = vi.spyOn(service.running.services.flagSearch, 'find');
});
afterEach(() => void vi.restoreAllMocks());

const createFlag = (projectId: string, name: string) =>
  accepted(service, 'createFeature', { params: { projectId }, body: { name } });

/** The next moment of the state: nothing of before is shared any more. */
let commits = 0;
const commit = () => createFlag('default', `commit-${commits++}`);

const ask = (person: Person, operationId = 'searchFeatures', query = 'limit=100') =>
  accepted(service, operationId, { headers: headersOf.get(person) ?? {}, token: null, query });

async function namesFor(person: Person): Promise<string[]> {
  const { body } = await ask(person);
  return body.features.map(({ name }: { name: string }) => name);
}

/** Waits until the request of the person looks for a shared answer, for which it reads their favourites. Call the returned function after sending. */
function arrivalOf(person: Person): () => Promise<void> {
  const reads = vi.spyOn(service.running.services.state, 'count');
  const isRead = () => reads.mock.calls.some(([, key]) => key === String(PEOPLE[person]));
  return () => untilTrue(isRead, `the request of ${person} has arrived`);
}

const refusedFor = (person: Person, query: string) =>
  refused(service, 'searchFeatures', INVALID, { headers: headersOf.get(person) ?? {}, token: null, query });

/** Searches wait until the returned function is called. */
function holdSearches(): () => void {
  const { flagSearch } = service.running.services;
  const find = flagSearch.find.bind(flagSearch) as (...args: unknown[]) => Promise<unknown>;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  searches.mockRestore();
  searches = vi.spyOn(flagSearch, 'find').mockImplementation((async (...args: unknown[]) => {
    await held;
    return find(...args);
  }) as never);
  return release;
}

const searching = () => untilTrue(() => searches.mock.calls.length === 1, 'a search has begun');

describe('equal requests of people who see the same', () => {
  it('are answered once for each moment', async () => {
    await commit();
    const answers = await Promise.all([1, 2, 3, 4].flatMap(() => [ask('editor'), ask('other')]));
    expect(searches).toHaveBeenCalledTimes(1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await ask('other');
    expect(searches).toHaveBeenCalledTimes(1);
    await createFlag('default', 'newest-flag');
    expect(await namesFor('editor')).toContain('newest-flag');
    expect(await namesFor('other')).toContain('newest-flag');
    expect(searches).toHaveBeenCalledTimes(2);
  });

  it('are answered apart from those of people who see other projects, in any order', async () => {
    const orders: readonly Person[][] = [
      ['editor', 'member', 'viewer', 'member2', 'viewer2', 'other'],
      ['viewer', 'viewer2', 'member', 'member2', 'other', 'editor'],
    ];
    for (const order of orders) {
      await commit();
      searches.mockClear();
      for (const person of order)
        expect((await namesFor(person)).includes('secret-flag'), person).toBe(!person.startsWith('viewer'));
      expect(searches).toHaveBeenCalledTimes(3);
    }
  });

  it('are answered apart if they differ, and after a second, because the use of flags is not part of the moment', async () => {
    await commit();
    await ask('editor');
    await ask('editor', 'searchFeatures', 'limit=99');
    expect(searches).toHaveBeenCalledTimes(2);
    await ask('other');
    expect(searches).toHaveBeenCalledTimes(2);
    const nowMs = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs + 1_001);
    await ask('other');
    expect(searches).toHaveBeenCalledTimes(3);
  });

  it('are not answered with the refusal of another one', async () => {
    await commit();
    const release = holdSearches();
    const query = 'cursor=wrong';
    const first = refusedFor('editor', query);
    await searching();
    const arrived = arrivalOf('other');
    const second = refusedFor('other', query);
    await arrived();
    release();
    await Promise.all([first, second]);
    expect(searches).toHaveBeenCalledTimes(2);
  });

  it('keep the answers of at most 256 requests', async () => {
    await commit();
    await ask('editor');
    for (let index = 0; index < 256; index++) await ask('editor', 'searchFeatures', `limit=1&offset=${index}`);
    searches.mockClear();
    await ask('editor', 'searchFeatures', 'limit=1&offset=255');
    expect(searches).toHaveBeenCalledTimes(0);
    await ask('editor');
    expect(searches).toHaveBeenCalledTimes(1);
  });
});

describe('what belongs to one person', () => {
  it('is in no answer for others: favourites', async () => {
    const params = { projectId: 'default', featureName: 'open-flag' };
    const headers = headersOf.get('editor') ?? {};
    await accepted(service, 'addFavoriteFeature', { params, headers, token: null });
    const isFavorite = async (person: Person) =>
      (await ask(person)).body.features.find(({ name }: { name: string }) => name === 'open-flag').favorite;
    expect(await isFavorite('editor')).toBe(true);
    expect(await isFavorite('other')).toBe(false);
    expect(await isFavorite('viewer')).toBe(false);
    await accepted(service, 'removeFavoriteFeature', { params, headers, token: null });
  });

  it('is in no answer for others: drafts, and what waits for their approval', async () => {
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params: { projectId: 'default', environment: 'production' },
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    const headers = headersOf.get('editor') ?? {};
    await prepare(service, (draft) => {
      for (const id of [PEOPLE.editor, PEOPLE.other]) give(draft, 'default', 'user', id, [ROLE_ID.owner]);
    });
    const made = await accepted(service, 'createChangeRequest', {
      params: { projectId: 'default', environment: 'production' },
      body: { feature: 'open-flag', action: 'updateEnabled', payload: { enabled: true } },
      headers,
      token: null,
    });
    const id = made.body.id ?? made.body[0]?.id;
    const search = async (person: Person, query: string) =>
      (await ask(person, 'searchChangeRequests', query)).body.changeRequests.map((found: { id: number }) => found.id);
    for (const person of ['editor', 'other', 'viewer', 'editor'] as const)
      expect(await search(person, 'state=open'), person).toEqual(person === 'editor' ? [id] : []);
    await prepare(service, (draft) => {
      const request = draft.get('changeRequests', String(id));
      if (request) draft.put('changeRequests', { ...request, state: 'In review' });
    });
    for (const person of ['other', 'editor', 'viewer'] as const) {
      expect(await search(person, 'state=open'), person).toEqual([id]);
      expect(await search(person, 'awaitsMyApproval=true'), person).toEqual(person === 'other' ? [id] : []);
    }
  });
});

describe('rights that change while an answer is created', () => {
  it('are not given to those who wait for the same answer', async () => {
    await commit();
    const release = holdSearches();
    const first = namesFor('viewer');
    await searching();
    const arrived = arrivalOf('viewer2');
    const second = namesFor('viewer2');
    await arrived();
    await prepare(service, (draft) => give(draft, 'closed', 'user', PEOPLE.viewer, [ROLE_ID.member]));
    release();
    expect(await second).not.toContain('secret-flag');
    expect(await first).not.toContain('secret-flag');
    expect(await namesFor('viewer')).toContain('secret-flag');
    await prepare(service, (draft) =>
      draft.remove('projectRoles', projectRolesKey('closed', 'user', String(PEOPLE.viewer))),
    );
    expect(await namesFor('viewer')).not.toContain('secret-flag');
  });

  it('are taken from those who wait for the answer of another one', async () => {
    await commit();
    const release = holdSearches();
    const first = namesFor('member');
    await searching();
    const arrived = arrivalOf('member2');
    const second = namesFor('member2');
    await arrived();
    await prepare(service, (draft) =>
      draft.remove('projectRoles', projectRolesKey('closed', 'user', String(PEOPLE.member2))),
    );
    release();
    expect(await first).toContain('secret-flag');
    expect(await second).not.toContain('secret-flag');
    await prepare(service, (draft) => give(draft, 'closed', 'user', PEOPLE.member2, [ROLE_ID.member]));
  });
});

describe('a shared answer', () => {
  it('is created for those who still wait, if the first has left', async () => {
    await commit();
    const release = holdSearches();
    const url = `${service.url}/api/admin/search/features?limit=100`;
    const leaving = get(url, { headers: headersOf.get('editor') });
    leaving.on('error', () => {});
    await searching();
    const arrived = arrivalOf('other');
    const second = namesFor('other');
    await arrived();
    leaving.destroy();
    release();
    expect(await second).toContain('open-flag');
    expect(searches).toHaveBeenCalledTimes(1);
  });

  it('is sent compressed and plain, with the same content, and without it to HEAD', async () => {
    await commit();
    const url = `${service.url}/api/admin/search/features?limit=100`;
    const read = async (method: string, coding: string) => {
      const headers = { ...headersOf.get('editor'), 'accept-encoding': coding };
      const answer = await new Promise<{ coding: string | undefined; bytes: Buffer }>((resolve, reject) => {
        const request = get(url, { headers, method }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () =>
            resolve({ coding: response.headers['content-encoding'], bytes: Buffer.concat(parts) }),
          );
        });
        request.on('error', reject);
      });
      return answer;
    };
    const answers = [
      await read('GET', 'gzip'),
      await read('GET', 'identity'),
      await read('GET', 'gzip'),
      await read('HEAD', 'gzip'),
    ] as const;
    expect(answers.map(({ coding }) => coding)).toEqual(['gzip', undefined, 'gzip', 'gzip']);
    expect(gunzipSync(answers[0].bytes)).toEqual(answers[1].bytes);
    expect(answers[2].bytes).toEqual(answers[0].bytes);
    expect(answers[3].bytes.length).toBe(0);
    expect(searches).toHaveBeenCalledTimes(1);
  });

  it('is not shared, but whole, if it is long', async () => {
    const description = 'x'.repeat(2_000);
    await prepare(service, (draft) => {
      const model = draft.get('features', 'open-flag');
      for (let index = 0; index < 600; index++)
        if (model) draft.put('features', { ...model, name: `long-${index}`, description });
    });
    const query = 'limit=1000&query=long-&fields=description';
    const answers = await Promise.all([ask('editor', 'searchFeatures', query), ask('other', 'searchFeatures', query)]);
    for (const { body } of answers) expect(body.features).toHaveLength(600);
    expect(answers[0].text).toBe(answers[1].text);
    expect(searches).toHaveBeenCalledTimes(2);
  });

  it('has the history of those who see the same, created once', async () => {
    await commit();
    const reads = vi.spyOn(service.running.services.eventIndex, 'upToDate');
    const answers = [];
    answers.push(await ask('editor', 'getHistory', 'limit=5'));
    const readsOfOne = reads.mock.calls.length;
    for (const person of ['other', 'editor'] as const) answers.push(await ask(person, 'getHistory', 'limit=5'));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(reads).toHaveBeenCalledTimes(readsOfOne);
    const { text } = await ask('viewer', 'getHistory', 'limit=100');
    expect(text).not.toContain('secret-flag');
    expect((await ask('member', 'getHistory', 'limit=100')).text).toContain('secret-flag');
    for (const person of ['viewer', 'member', 'viewer2'] as const) {
      const events = (await ask(person, 'searchEventsByQuery', 'type=IS:feature-created&limit=1000')).text;
      expect(events.includes('secret-flag'), person).toBe(person === 'member');
    }
  });

  it('is not made of a search for text, which ends after a time', async () => {
    await commit();
    const finds = vi.spyOn(service.running.services.eventSearch, 'find');
    for (const person of ['editor', 'other'] as const)
      await ask(person, 'searchEventsByQuery', 'type=IS:feature-created');
    expect(finds).toHaveBeenCalledTimes(1);
    for (const person of ['editor', 'other'] as const) await ask(person, 'searchEventsByQuery', 'query=commit');
    expect(finds).toHaveBeenCalledTimes(3);
  });
});

describe('a route whose answers are shared', () => {
  const faults: { basis?: true; piece?: true } = {};
  let made: string[] = [];
  let ended = 0;
  let server: TestServer;

  /** The answer for a query: a text of so many characters, or else pieces. */
  function answerOf(queryText: string): Answer {
    made.push(queryText);
    const count = Number(/^chars=(\d+)$/.exec(queryText)?.[1] ?? 0);
    if (count > 0) return { status: 200, text: 'x'.repeat(count) };
    return {
      status: 200,
      pieces: (function* () {
        try {
          yield '["first",';
          yield faults.piece ? Promise.reject(new Error('as the test wants')) : Promise.resolve('"second"]');
        } finally {
          ended++;
        }
      })(),
    };
  }

  beforeAll(async () => {
    server = await startTestServer([
      endpoint({
        tag: 'Test',
        summary: '',
        access: { permission: 'NONE' },
        errors: [],
        operationId: 'shared',
        method: 'get',
        path: '/shared',
        responses: { 200: { description: '', schema: Type.Unknown() } },
        basis() {
          if (faults.basis) throw new Error('as the test wants');
          return { moment: 'now', key: 'all' };
        },
        handle: ({ queryText }) => answerOf(queryText),
      }),
    ]);
    server.server.open();
  });
  beforeEach(() => {
    [made, ended] = [[], 0];
    delete faults.basis;
    delete faults.piece;
    server.errors.length = 0;
  });
  afterAll(() => server.server.close());

  const read = async (query: string) => {
    const answer = await fetch(`${server.url}/shared?${query}`, { headers: { 'accept-encoding': 'gzip' } });
    return { status: answer.status, coding: answer.headers.get('content-encoding'), text: await answer.text() };
  };

  it('makes a text once, unless it is longer than what is kept', async () => {
    for (const [length, times] of [
      [1_000_000, 1],
      [1_000_001, 2],
    ] as const) {
      made = [];
      // It is not JSON, so it is not compressed.
      const expected = { status: 200, coding: null, text: 'x'.repeat(length) };
      for (let round = 0; round < 2; round++) expect(await read(`chars=${length}`)).toEqual(expected);
      expect(made).toHaveLength(times);
    }
  });

  it('makes an answer anew after one that failed in the middle, whose work is ended', async () => {
    faults.piece = true;
    expect((await read('pieces')).status).toBe(500);
    expect([made.length, ended]).toEqual([1, 1]);
    expect(server.errors.map(({ message }) => message)).toEqual(['request failed']);
    delete faults.piece;
    for (let round = 0; round < 2; round++) expect((await read('pieces')).text).toBe('["first","second"]');
    expect([made.length, ended]).toEqual([2, 2]);
  });

  it('answers 500 if it cannot find out who gets the answer', async () => {
    faults.basis = true;
    expect((await read('pieces')).status).toBe(500);
    expect([made.length, server.errors.length]).toEqual([0, 1]);
    delete faults.basis;
    expect((await read('pieces')).status).toBe(200);
  });
});
