import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Logger } from '../../../src/base/logger.ts';
import type { ErrorName } from '../../../src/base/rejection.ts';
import { LOGIN_LIMITS } from '../../../src/features/sign-on/login-guard.ts';
import { ERRORS } from '../../../src/http/errors.ts';
import { type MemoryFaults, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { head, RawConnection } from '../../support/http/raw-http.ts';
import { startTestRelay } from '../../support/relay.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  startTestService,
  type TestService,
} from '../../support/service.ts';

interface ErrorAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: { readonly id: string; readonly name: string; readonly message: string; readonly details: unknown[] };
}

const INNER = 'a detail that is nobody’s business';

let service: TestService;
const faults: MemoryFaults = {};
const logged: Record<string, unknown>[] = [];

beforeAll(async () => {
  const note = (fields: Record<string, unknown>) => void logged.push(fields);
  const logger = { debug: note, info: note, warn: note, error: note, fatal: note } as unknown as Logger;
  const env = { HANDLER_DEADLINE_MS: '1500', BODY_LIMIT_BYTES: '2000' };
  service = await startTestService({ store: new MemoryStore({ faults }), logger, env });
});

afterAll(() => service.close());

interface Asking {
  readonly body?: unknown;
  readonly token?: string | null;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Base URL; the service by default. */
  readonly at?: string;
}

async function ask(
  method: string,
  path: string,
  { body, token = ADMIN_TOKEN, type = 'application/json', headers = {}, at = service.url }: Asking = {},
) {
  const answer = await fetch(at + path, {
    method,
    headers: {
      ...headers,
      ...(token && { authorization: token }),
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const retryAfter = answer.headers.get('retry-after');
  return { status: answer.status, retryAfter, body: JSON.parse(await answer.text()) } as ErrorAnswer;
}

/** Sends only half of a body. */
async function halfABody(): Promise<ErrorAnswer> {
  const connection = await RawConnection.open(service.url);
  try {
    const fields = [`authorization: ${ADMIN_TOKEN}`, 'content-type: application/json', 'content-length: 20'];
    connection.write(`${head('POST /api/admin/tag-types HTTP/1.1', ...fields)}{"name"`);
    const answer = await connection.answer();
    return { status: answer?.status ?? 0, retryAfter: null, body: JSON.parse(String(answer?.body)) };
  } finally {
    connection.destroy();
  }
}

/** A request that meets a defect. The message of the defect must appear in the log only. */
async function withDefect(): Promise<ErrorAnswer> {
  const { eventIndex } = service.running.services;
  const search = eventIndex.search.bind(eventIndex);
  eventIndex.search = () => Promise.reject(new Error(INNER));
  try {
    return await ask('GET', '/api/admin/events/some-flag');
  } finally {
    eventIndex.search = search;
  }
}

async function withoutStore(): Promise<ErrorAnswer> {
  faults.beforeRead = () => {
    throw new StoreError(INNER, 'not-appended');
  };
  try {
    return await ask('GET', '/api/admin/events/some-flag');
  } finally {
    faults.beforeRead = undefined;
  }
}

/**
 * Sends wrong passwords until the service does not check the next one any more. All at once: an attempt counts from its admission, and on a busy
 * machine sequential attempts could take longer than they count.
 */
async function guessing(): Promise<ErrorAnswer> {
  const guesses = Array.from({ length: LOGIN_LIMITS.ofPair + 1 }, (_, count) => {
    const body = { username: 'admin', password: `Wrong-Password-${count}` };
    return ask('POST', '/auth/simple/login', { body, token: null });
  });
  const answers = await Promise.all(guesses);
  return answers.find(({ status }) => status === 429) ?? (answers[0] as ErrorAnswer);
}

/** A relay that knows no client token. */
async function withoutClientToken(): Promise<ErrorAnswer> {
  const relay = await startTestRelay(service.url);
  try {
    return await ask('GET', '/api/frontend', { token: FRONTEND_TOKEN, at: relay.url });
  } finally {
    await relay.close();
  }
}

const taken = { body: { name: 'taken' } };

/** How to cause each error. The type requires an entry for every name, so no error of the table is unreachable. */
const WAYS: Readonly<Record<ErrorName, () => Promise<ErrorAnswer>>> = {
  ValidationError: () => ask('POST', '/api/admin/tag-types', { body: {} }),
  AuthenticationRequired: () => ask('GET', '/api/admin/tag-types', { token: null }),
  NoAccessError: () => ask('GET', '/api/admin/tag-types', { token: CLIENT_TOKEN }),
  NotFoundError: () => ask('GET', '/api/admin/tag-types/nothing'),
  RequestTimeoutError: halfABody,
  NameExistsError: async () => {
    await ask('POST', '/api/admin/tag-types', taken);
    return ask('POST', '/api/admin/tag-types', taken);
  },
  MethodNotAllowedError: () => ask('GET', '/mcp'),
  PreconditionFailed: () => ask('PUT', '/api/admin/tag-types/simple', { body: {}, headers: { 'if-match': '"old"' } }),
  PayloadTooLargeError: () =>
    ask('POST', '/api/admin/tag-types', { body: { name: 'a', description: 'b'.repeat(3_000) } }),
  ContentTypeerror: () => ask('POST', '/api/admin/tag-types', { ...taken, type: 'text/plain' }),
  TooManyRequestsError: guessing,
  InternalError: withDefect,
  ServiceUnavailableError: withoutStore,
  NetworkAuthenticationRequired: withoutClientToken,
};

describe('every error of the table', () => {
  it.each(Object.keys(ERRORS) as ErrorName[])('%s can be caused over HTTP, with its status and body', async (name) => {
    const before = service.running.services.state.seq;
    const { status, body, retryAfter } = await WAYS[name]();
    expect([status, body.name], JSON.stringify(body)).toEqual([ERRORS[name].status, name]);
    expect(body.id).toMatch(/^[0-9a-f]{8}-/);
    expect(body.message).toMatch(/\w.*\.$/s);
    expect(body.details.length).toBeGreaterThan(0);
    if (status === 429 || status === 503) expect(Number(retryAfter)).toBeGreaterThan(0);
    if (status >= 500) expect(JSON.stringify(body)).not.toContain(INNER);
    if (name !== 'NameExistsError' && name !== 'TooManyRequestsError')
      expect(service.running.services.state.seq).toBe(before);
  });

  it('with status 500 contains the id under which the log has the details', async () => {
    const { body } = await withDefect();
    const [line] = logged.filter(({ id }) => id === body.id);
    expect(line).toMatchObject({ operationId: 'getEventsForToggle' });
    expect(line?.err).toMatchObject({ message: INNER });
  });
});
