import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOfPage } from '../contract/differences.ts';
import { BurgeeProcess } from '../support/programs/burgee-process.ts';
import { until } from '../support/until.ts';
import { type Sender, STORY, type Step } from './story.ts';
import { PEER, sessionOfFirstAdmin } from './unleash.ts';

const PASSWORD = 'Correct-Horse-9';
const ADMIN = '*:*.answers-admin';
/** Part of all names of the story, so that it can be repeated. */
const RUN = `answers-${Date.now()}`;

let directory: string;
let burgee: BurgeeProcess;
let there: Instance;
let here: Instance;

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** Sends the requests of the story to one instance. */
class Instance {
  readonly #url: string;
  readonly #cookie: string;
  readonly #token: string;
  readonly #kept = new Map<string, string>();
  readonly answers: Answered[] = [];

  constructor(url: string, cookie: string, token: string) {
    this.#url = url;
    this.#cookie = cookie;
    this.#token = token;
    this.#kept.set('run', RUN).set('flag', `flag-${RUN}`);
  }

  async sendAll(): Promise<void> {
    for (const step of STORY) this.answers.push(await this.#send(step));
  }

  async #send({ request, body, by = 'admin', keep = {}, shows = '' }: Step): Promise<Answered> {
    const send = () => this.#answerTo(request, body, by);
    const shown = this.#filled(shows, String);
    const answered = await until(send, ({ body }) => JSON.stringify(body).includes(shown));
    for (const [name, at] of Object.entries(keep))
      this.#kept.set(name, String((answered.body as Record<string, unknown>)[at]));
    return answered;
  }

  async #answerTo(request: string, body: unknown, by: Sender): Promise<Answered> {
    const [method = '', path = ''] = request.split(' ');
    const authorization = {
      token: this.#token,
      client: this.#kept.get('client'),
      frontend: this.#kept.get('frontend'),
    };
    const credential: Record<string, string> =
      by === 'admin' ? { cookie: this.#cookie, 'sec-fetch-site': 'same-origin' } : {};
    if (by !== 'admin' && by !== 'anonymous') credential.authorization = authorization[by] ?? '';
    const sent = body === undefined ? {} : { body: this.#filled(JSON.stringify(body), JSON.stringify) };
    const answer = await fetch(this.#url + this.#filled(path, encodeURIComponent), {
      method,
      headers: { ...credential, 'content-type': 'application/json' },
      ...sent,
    });
    const text = await answer.text();
    return { status: answer.status, body: /^[[{]/.test(text) ? JSON.parse(text) : text };
  }

  #filled(text: string, form: (value: string) => string): string {
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = this.#kept.get(name);
      return value === undefined ? whole : form(value).replace(/^"|"$/g, '');
    });
  }
}

/** Every key of a value by its path, with the keys of all items of a list together. */
function keysOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => keysOf(item, `${at}[]`)))];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [`${at}.${name}`, ...keysOf(item, `${at}.${name}`)]);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-answers-'));
  burgee = new BurgeeProcess({
    DATA_DIR: directory,
    UNLEASH_DEFAULT_ADMIN_PASSWORD: PASSWORD,
    INIT_ADMIN_API_TOKENS: ADMIN,
    SECRETS_KEY: 'what seals the secrets of the integrations',
    ADDON_ALLOW_PRIVATE: '*',
  });
  const url = await burgee.url();
  const signOn = await fetch(`${url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  });
  here = new Instance(url, signOn.headers.getSetCookie().join('; '), ADMIN);
  there = new Instance(PEER.url, await sessionOfFirstAdmin(), PEER.adminToken);
  await Promise.all([here.sendAll(), there.sendAll()]);
});

afterAll(async () => {
  await burgee?.stop();
  await rm(directory, { recursive: true, force: true });
});

const SEARCH = '`GET /api/admin/user-admin/search`';
const FEWER = "fields of Unleash's responses that Burgee does not have";
const PAID =
  'operations that the open-source edition does not have, or no longer has (`GET /api/admin/permissions`, `…/features/:featureName/variants`, `GET /api/admin/archive/features/:projectId`)';
const IN_USE = 'deleting a strategy type or a tag type that flags use';
const STREAMS = '`GET /api/client/delta`, `GET /api/client/streaming`';
const FIRST_VERSION = '`GET /api/client/features` without the header `Unleash-Client-Spec`';

/** Requests that are answered with another status here: both statuses, and the row of the page of differences. */
const OTHER_STATUS: readonly (readonly [request: RegExp, there: number, here: number, row: string])[] = [
  [/^(GET|PUT) .*\{flag\}\/variants$/, 404, 200, PAID],
  [/^GET .*\/permissions$/, 404, 200, PAID],
  [/^GET .*\/archive\/features\/default$/, 404, 200, PAID],
  [/^DELETE .*\/(tag-types\/type|strategies\/own)-\{run\}$/, 200, 409, IN_USE],
  [/^GET .*\/none\/lifecycle$/, 200, 404, 'lifecycle of a flag that does not exist'],
  [/\/default-strategy$/, 400, 200, 'default strategy of another type than `flexibleRollout`'],
  [/^GET \/api\/client\/delta$/, 404, 200, STREAMS],
  [/^GET \/api\/frontend\/client\/features$/, 405, 404, '`GET /api/frontend/client/features`'],
  [
    /^DELETE .*\/archive\/none-\{run\}$/,
    200,
    404,
    '`DELETE /api/admin/archive/:featureName` of a flag that does not exist',
  ],
];

/** Keys that only Unleash's answers have, and the row of the page of differences. */
const OTHER_KEYS: readonly (readonly [request: RegExp, key: RegExp, row: string])[] = [
  [/\/strategies$/, /\.milestoneId$/, FEWER],
  [/./, /\.(scimId|seatType|companyRole|productUpdatesEmailConsent|activeSessions|deletedSessions)$/, FEWER],
  [/\/applications\/app-\{run\}$/, /^\.(links.*|instances\[\]\.createdAt)$/, FEWER],
  [/\/statistics$/, /^\.(licensedUsers|readOnlyUsers|previousDayMetricsBucketsCount|edgeInstanceUsage)/, FEWER],
  [
    /\/ui-config$/,
    /^\.(flags\.|resourceLimits\.releaseTemplates|prometheusAPIAvailable|impactMetrics|maxSessionsCount|unleashContext|storiesPageEnabled)/,
    FEWER,
  ],
  [/\/addons$/, /\.alerts\[\]\.link/, FEWER],
  [/\/invite-link\/tokens$/, /^\.tokens\[\]\.users\[\]\.username$/, FEWER],
  [/\/user-admin$/, /^\.users\[\]\.inviteLink$/, '`inviteLink` of a user'],
  [/\/user-admin\/search\?/, /^\[\]\./, SEARCH],
  [/^GET \/api\/client\/features/, /^\.(query|meta)|\.variants$/, FIRST_VERSION],
  [/events/, /^\.events\[\]\.tags\[\]/, '`tags` of events'],
  [/events/, /^\.events\[\]\.(data|preData)/, '`data` and `preData` of events'],
];

describe('the same requests to Unleash and to Burgee', () => {
  const answers = () =>
    STORY.map(({ request }, index) => [request, there.answers[index], here.answers[index]] as const);

  it('have answers with the same status, but for rows of the page of differences', () => {
    const found = answers().flatMap(([request, theirs, ours]) => {
      if (theirs?.status === ours?.status) return [];
      const row = OTHER_STATUS.find(
        ([of, was, is]) => of.test(request) && was === theirs?.status && is === ours?.status,
      );
      return row ? [] : [`${request}: ${theirs?.status} there, ${ours?.status} here: ${JSON.stringify(ours?.body)}`];
    });
    expect(found).toEqual([]);
    const unused = OTHER_STATUS.filter(
      ([of, was, is]) =>
        !answers().some(([request, a, b]) => of.test(request) && was === a?.status && is === b?.status),
    );
    expect(unused).toEqual([]);
  });

  it('have all fields of Unleash’s answers, but for rows of the page of differences', () => {
    const used = new Set<RegExp>();
    const found = answers().flatMap(([request, theirs, ours]) => {
      if (theirs?.status !== ours?.status) return [];
      const own = new Set(keysOf(ours?.body));
      return keysOf(theirs?.body).flatMap((key) => {
        const [, known] = OTHER_KEYS.find(([of, one]) => of.test(request) && one.test(key)) ?? [];
        if (known && !own.has(key)) used.add(known);
        return own.has(key) || known ? [] : [`${request}: ${key}`];
      });
    });
    expect(found).toEqual([]);
    expect(OTHER_KEYS.filter(([, key]) => !used.has(key))).toEqual([]);
  });

  it('shorten the end of an invite link alike', () => {
    const index = STORY.findIndex(({ keep }) => keep?.invite !== undefined);
    const days = ({ body }: Answered) =>
      (Date.parse((body as { expiresAt: string }).expiresAt) - Date.now()) / 86_400_000;
    for (const { answers } of [there, here]) expect(Math.round(days(answers[index] as Answered))).toBeCloseTo(30, -0.5);
  });

  it('differ only as the page says', () => {
    const rows = new Set(rowsOfPage());
    const named = [...OTHER_STATUS.map(([, , , row]) => row), ...OTHER_KEYS.map(([, , row]) => row)];
    expect(named.filter((row) => !rows.has(row))).toEqual([]);
  });
});
