import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { loggerTo } from '../../../src/base/logger.ts';
import { readServer } from '../../../src/products/server/read-server.ts';
import { accepted, prepare } from '../../support/admin.ts';
import { startTestRelay } from '../../support/relay.ts';
import { SecureSource } from '../../support/secure-source.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { untilTrue } from '../../support/until.ts';

const source = new SecureSource();
let lines = '';
let service: TestService;

const start = (env: Readonly<Record<string, string>> = {}) =>
  startTestService({
    // Callers are distinguished by their addresses, which a trusted proxy sends.
    env: { ...source.options, TRUSTED_PROXIES: 'true', ...env },
    logger: loggerTo(
      'info',
      (line) => {
        lines += line;
      },
      () => performance.now(),
    ),
  });

beforeAll(async () => {
  await source.start();
  service = await start();
});

afterAll(async () => {
  await service.close();
  source.close();
});

beforeEach(() => {
  source.status = 0;
  source.hold = undefined;
  lines = '';
});

async function statusOf(
  token: string,
  { url, path = '/api/client/features', address = '10.0.0.1' } = { url: '' } as Call,
) {
  const headers = { authorization: token, 'x-forwarded-for': address };
  const answer = await fetch(`${url || service.url}${path}`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

interface Call {
  readonly url?: string;
  readonly path?: string;
  readonly address?: string;
}

const listed = async (of = service) =>
  (await accepted(of, 'getAllApiTokens')).body.tokens as readonly {
    secret: string;
    tokenName: string;
    [field: string]: unknown;
  }[];

describe('A token that the service does not know', () => {
  it('is adopted at its first use with its name, scope and expiry time, and is then never asked about', async () => {
    const { text, tokenName, selector } = source.add({
      projects: ['default'],
      type: 'backend',
      expiresAt: '2099-01-05T00:00:00.000Z',
    });
    expect(await statusOf(text)).toBe(200);
    const asked = source.questions.length;
    expect(await Promise.all([statusOf(text), statusOf(`Bearer ${text}`)])).toEqual([200, 200]);
    expect(source.questions.length).toBe(asked);
    expect((await listed()).find((token) => token.tokenName === tokenName)).toMatchObject({
      secret: text,
      projects: ['default'],
      environment: 'development',
      type: 'backend',
      secure: false,
      expiresAt: '2099-01-05T00:00:00.000Z',
    });
    const { events } = (await accepted(service, 'getEvents', { query: 'type=api-token-created' })).body;
    const [event] = events.filter(({ data }: { data: { tokenName: string } }) => data.tokenName === tokenName);
    expect(event.createdBy).toBe('adoption of tokens');
    expect(JSON.stringify(events)).not.toContain(selector);
    expect(lines).not.toContain(selector);
  });

  it('is refused without a question if it has another form, such as the part that Unleash shows', async () => {
    const { text, selector } = source.add();
    const asked = source.questions.length;
    const parts = [selector, `v2_${selector}`, `*:development.${selector}`, `*:development.v2_${selector}`];
    for (const part of [...parts, '*:development.something-else', `${text} `.repeat(20)])
      expect(await statusOf(part), part).toBe(401);
    expect(source.questions.length).toBe(asked);
    expect(await statusOf(`*:development.v2_${selector}_guess`)).toBe(401);
    expect(source.questions.length).toBe(asked + 1);
    expect(await statusOf(text)).toBe(200);
  });

  it('is refused for a while if the source does not know it, without another question', async () => {
    const { text } = source.add();
    source.tokens.pop();
    expect(await statusOf(text)).toBe(401);
    const asked = source.questions.length;
    expect(await Promise.all([statusOf(text), statusOf(text, { address: '10.0.0.2' })])).toEqual([401, 401]);
    expect(source.questions.length).toBe(asked);
  });

  it('gets 503 while the source is away or cannot say its expiry time, and is adopted later', async () => {
    const { text } = source.add();
    source.status = 502;
    expect(await statusOf(text)).toBe(503);
    expect(lines).toContain('tokens cannot be adopted now');
    source.status = 0;
    const away = await start({ ADOPT_TOKENS_FROM: 'http://127.0.0.1:9' });
    expect(await statusOf(text, { url: away.url })).toBe(503);
    await away.close();
    const wrong = await start({ ADOPT_TOKENS_ADMIN_TOKEN: '*:*.wrong' });
    expect(await statusOf(text, { url: wrong.url })).toBe(503);
    expect(lines).toContain('ADOPT_TOKENS_ADMIN_TOKEN');
    await wrong.close();
    expect(await statusOf(text)).toBe(200);
  });

  it('is refused, and named in the log, if its environment or a project does not exist here', async () => {
    const elsewhere = source.add({ environment: 'moon', tokenName: 'of the moon' });
    const partly = source.add({ projects: ['default', 'unheard-of'] });
    expect(await statusOf(elsewhere.text)).toBe(401);
    expect(lines).toContain('of the moon');
    expect(lines).toContain('The environment moon does not exist.');
    expect(await statusOf(partly.text)).toBe(401);
    expect(lines).toContain('The project unheard-of does not exist.');
    for (const { text } of [elsewhere, partly]) expect(lines).not.toContain(text);
  });

  it('is refused without another line in the log, until an hour has passed', async () => {
    const { text, tokenName } = source.add({ environment: 'mars' });
    const now = performance.now.bind(performance);
    let passedMs = 0;
    const time = vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
    const logged = () => lines.split('\n').filter((line) => line.includes(`"${tokenName}"`)).length;
    // Until the refusal is forgotten, which is a minute, the source is not asked again.
    for (const [minutes, questions, count] of [
      [0, 1, 1],
      [0.5, 0, 1],
      [2, 1, 1],
      [59, 1, 1],
      [61, 1, 2],
    ] as const) {
      passedMs = minutes * 60_000;
      const asked = source.questions.length;
      expect(await statusOf(text)).toBe(401);
      expect([source.questions.length - asked, logged()], `after ${minutes} minutes`).toEqual([questions, count]);
    }
    time.mockRestore();
  });

  it('is never adopted if it is an admin token or for all environments', async () => {
    const admin = source.add({ type: 'admin', environment: '*' });
    const wide = source.add({ environment: '*' });
    for (const { text } of [admin, wide]) expect(await statusOf(text)).toBe(401);
    expect(await statusOf(admin.text, { path: '/api/admin/projects' })).toBe(401);
  });

  it('has no access to paths of other types after its adoption', async () => {
    const { text } = source.add({ type: 'frontend' });
    expect(await statusOf(text)).toBe(403);
    expect(await statusOf(text, { path: '/api/frontend' })).toBe(200);
  });

  it('is not adopted again after it was deleted here or has expired here', async () => {
    const { text, tokenName } = source.add();
    expect(await statusOf(text)).toBe(200);
    const expiresAt = '2020-01-01T00:00:00.000Z';
    await accepted(service, 'updateApiToken', { params: { token: text }, body: { expiresAt } });
    expect(await statusOf(text)).toBe(401);
    await accepted(service, 'deleteApiToken', { params: { token: text } });
    const other = source.add();
    expect(await statusOf(other.text)).toBe(200);
    await accepted(service, 'deleteApiToken', { params: { token: other.text } });
    expect(await statusOf(other.text)).toBe(401);
    expect(lines).toContain('deleted here');
    expect((await listed()).map((token) => token.tokenName)).not.toContain(other.tokenName);
    expect((await listed()).map((token) => token.tokenName)).not.toContain(tokenName);
  });

  it('is stored as a hash if the service stores hashes', async () => {
    const hashing = await start({ API_TOKEN_SECRETS: 'hashed' });
    const { text, tokenName } = source.add();
    expect(await statusOf(text, { url: hashing.url })).toBe(200);
    const token = (await listed(hashing)).find((each) => each.tokenName === tokenName);
    expect(token).toMatchObject({ secure: true, secret: expect.stringMatching(/^sha256:/) });
    await hashing.close();
  });

  it('gets 503 if the service may have no more tokens', async () => {
    const full = await start({ UNLEASH_API_TOKENS_LIMIT: '3' });
    const { text } = source.add();
    expect(await statusOf(text, { url: full.url })).toBe(503);
    expect(lines).toContain('a token cannot be adopted now');
    await full.close();
  });
});

describe('Questions to the source', () => {
  it('are few: many requests with few tokens are one question, and known tokens do not wait for it', async () => {
    const tokens = Array.from({ length: 20 }, () => source.add());
    const known = source.add();
    expect(await statusOf(known.text)).toBe(200);
    const [asked, lists] = [source.questions.length, source.listed];
    let release: () => void = () => {};
    source.hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const statuses = Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        statusOf(tokens[index % 20]?.text ?? '', { address: `10.1.0.${index}` }),
      ),
    );
    await untilTrue(() => source.questions.length > asked);
    expect(await statusOf(known.text)).toBe(200);
    release();
    expect(new Set(await statuses)).toEqual(new Set([200]));
    const questions = source.questions.slice(asked);
    // Each token is asked about once, in few requests.
    expect(questions.flat().sort()).toEqual(tokens.map(({ text }) => text).sort());
    expect(questions.length).toBeLessThanOrEqual(20);
    expect(source.listed - lists).toBeLessThanOrEqual(questions.length);
    expect((await listed()).filter(({ secret }) => tokens.some(({ text }) => text === secret))).toHaveLength(20);
  });

  it('are also asked for a relay in front of the service, which then serves the token', async () => {
    const first = source.add();
    const relay = await startTestRelay(service.url, { tokens: [first.text] });
    await untilTrue(async () => (await statusOf(first.text, { url: relay.url })) === 200);
    const { text } = source.add();
    source.status = 502;
    expect(await statusOf(text, { url: relay.url })).toBe(503);
    source.status = 0;
    await untilTrue(async () => (await statusOf(text, { url: relay.url })) === 200);
    await relay.close();
  });
});

describe('A token that cannot be decided about, such as a made-up one while the source is away', () => {
  const madeUp = () => source.add({ tokenName: 'made up' }).text;

  async function adopted(): Promise<string> {
    const { text } = source.add();
    expect(await statusOf(text)).toBe(200);
    return text;
  }

  const validated = async (tokens: readonly string[], headers: Readonly<Record<string, string>> = {}) => {
    const answer = await service.call('getValidTokens', { body: { tokens }, headers, token: null });
    const of = (list: readonly { token: string }[] | undefined) => list?.map(({ token }) => token);
    return { status: answer.status, tokens: of(answer.body.tokens), undecided: answer.body.undecided };
  };

  it('does not hold the tokens back that are asked about in the same request by a relay of Burgee', async () => {
    const [known, open] = [await adopted(), madeUp()];
    const listing = { 'burgee-undecided': 'list' };
    source.status = 502;
    expect(await validated([known, open], listing)).toEqual({ status: 200, tokens: [known], undecided: [open] });
    // Other relays take a token that is left out for one that does not exist.
    expect(await validated([known, open])).toMatchObject({ status: 503 });
    source.status = 0;
    let release: () => void = () => {};
    source.hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const other = madeUp();
    expect(await validated([known, other], listing)).toEqual({ status: 200, tokens: [known], undecided: [other] });
    release();
    expect(await validated([known, other])).toEqual({ status: 200, tokens: [known, other], undecided: undefined });
    expect(await validated([known], listing)).toEqual({ status: 200, tokens: [known], undecided: [] });
  });

  it('does not hold a relay back: neither the tokens of its start, nor the removal of a deleted token', async () => {
    const [known, removed, open] = [await adopted(), 'default:development.plain', madeUp()];
    await prepare(service, (draft) => {
      const token = draft.get('apiTokens', CLIENT_TOKEN);
      if (token) draft.put('apiTokens', { ...token, secret: removed, tokenName: 'plain' });
    });
    source.status = 502;
    const relay = await startTestRelay(service.url, { tokens: [known, removed, open], revalidateMs: 50 });
    const statusThere = (token: string) => statusOf(token, { url: relay.url });
    for (const token of [known, removed]) await untilTrue(async () => (await statusThere(token)) === 200);
    expect(await statusThere(open)).toBe(503);
    for (const token of [known, removed]) await accepted(service, 'deleteApiToken', { params: { token } });
    await untilTrue(async () => (await statusThere(removed)) === 401);
    // The source may know it: only the source can say that it does not exist.
    expect(await statusThere(known)).toBe(200);
    await relay.close();
  });
});

it('One of the two options without the other is refused at the start', async () => {
  for (const env of [{ ADOPT_TOKENS_FROM: 'http://unleash.example.org' }, { ADOPT_TOKENS_ADMIN_TOKEN: '*:*.secret' }])
    await expect(readServer(env)).rejects.toThrow('are needed together');
});
