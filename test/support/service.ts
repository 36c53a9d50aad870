import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { type Logger, silentLogger } from '../../src/base/logger.ts';
import { readConfig } from '../../src/config.ts';
import { ConsoleFiles } from '../../src/features/console/console-files.ts';
import { endpoints } from '../../src/features/registry.ts';
import { Passwords } from '../../src/features/sign-on/passwords/hashing.ts';
import { credentialOf } from '../../src/http/access.ts';
import { ERRORS, ErrorBody } from '../../src/http/errors.ts';
import { type RunningService, startService } from '../../src/products/server/service.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { checkPast, checkStorage } from './checks/checked-writer.ts';
import { announceService, forgetService, isAnnounced } from './checks/documented-answers.ts';
import { FRONTS } from './http/front.ts';
import { plainRequest } from './http/request.ts';
import { CHEAP } from './password-cost.ts';

export const ADMIN_TOKEN = '*:*.test-admin';
export const CLIENT_TOKEN = '*:development.test-client';
export const FRONTEND_TOKEN = '*:development.test-frontend';
/** Accepted after `allowScim`: SCIM is off until an admin makes a token. */
export const SCIM_TOKEN = 'scim:test';

export interface TestServiceOptions {
  /** Environment variables in addition to those that isolate the service. */
  readonly env?: Readonly<Record<string, string>>;
  readonly store?: Store;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly logger?: Logger;
  /** Passwords with the usual cost of hashing, for tests of that. */
  readonly passwords?: Passwords;
  /** Real LMDB files in a temporary folder, instead of a store in memory: for tests of the files or of a restart. */
  readonly onDisk?: boolean;
  /** Reuse a directory, as after a restart; real LMDB files too. */
  readonly directory?: string;
  /** Without the checks of what each commit stores: for tests that count work. */
  readonly isUnchecked?: boolean;
  /** Folder of a built console. Without it the service has none, whether or not this checkout has built one. */
  readonly consoleFolder?: string;
}

export interface CallOptions {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly body?: unknown;
  /** The authorization header; null sends none. Without it, a token of the route's kind is sent. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallResult {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked against their schema; tests read any field
  readonly body: any;
}

export interface TestService {
  readonly url: string;
  /** The directory of the store's files, if it is on disk; otherwise it is an error to read this. */
  readonly directory: string;
  readonly running: RunningService;
  /** Calls an operation over HTTP, and checks that the route states the answer: status, schema of the body, headers. */
  call(operationId: string, options?: CallOptions): Promise<CallResult>;
  /** Stops the service; its directory is removed unless it was passed. */
  close(): Promise<void>;
}

const TOKENS = { none: null, admin: ADMIN_TOKEN, client: CLIENT_TOKEN, frontend: FRONTEND_TOKEN, scim: SCIM_TOKEN };

/** A whole service, in this process, on a free port of the loopback interface. Its store is in memory, unless a store is passed or it is to be on disk. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'burgee-test-')));
  try {
    return await startIn(directory, options);
  } catch (error) {
    if (!options.directory) await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

type OptionsOrMaker = TestServiceOptions | (() => TestServiceOptions);

/** The service of a file, or of a `describe`: it starts before its tests, and ends after them. Options that an earlier hook makes are given as a function. */
export function useService(options: OptionsOrMaker = {}): TestService {
  return serviceOf(options, beforeAll, afterAll);
}

/** A new service for each test. */
export function useFreshService(options: OptionsOrMaker = {}): TestService {
  return serviceOf(options, beforeEach, afterEach);
}

type Hook = (action: () => Promise<void>) => unknown;

function serviceOf(options: OptionsOrMaker, before: Hook, after: Hook): TestService {
  let started: TestService | undefined;
  const now = () => {
    if (!started) throw new Error('the service is used before it has started, or after it has ended');
    return started;
  };
  before(async () => {
    started = await startTestService(typeof options === 'function' ? options() : options);
  });
  after(async () => {
    await started?.close();
    started = undefined;
  });
  return {
    get url() {
      return now().url;
    },
    get directory() {
      return now().directory;
    },
    get running() {
      return now().running;
    },
    call: (operationId, callOptions) => now().call(operationId, callOptions),
    close: () => now().close(),
  };
}

async function startIn(directory: string, options: TestServiceOptions): Promise<TestService> {
  const isOnDisk = options.onDisk === true || options.directory !== undefined;
  const config = readConfig({
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: '0',
    DATA_DIR: directory,
    // Named where the machine has only one: otherwise the log would begin with a notice about it.
    HTTP_FRONT: process.env.HTTP_FRONT ?? (FRONTS.length === 1 ? FRONTS[0] : undefined),
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
    INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
    ...options.env,
  });
  const running = await startService({
    config,
    store: options.store ?? (isOnDisk ? new LmdbStore({ directory, logger: silentLogger }) : new MemoryStore()),
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    random: options.random ?? Math.random,
    parts: {
      passwords: options.passwords ?? new Passwords({ cost: CHEAP }),
      consoleFiles: new ConsoleFiles(() => options.consoleFolder, config, options.logger ?? silentLogger),
    },
  });
  const url = `http://127.0.0.1:${running.port}${config.basePath}`;
  announceService(url);
  const { writer, state, replica } = running.services;
  const problems = options.isUnchecked ? [] : [checkStorage(writer, state), checkPast(writer, replica)];
  return {
    url,
    get directory() {
      if (!isOnDisk) throw new Error('the store of this service is in memory: start it with onDisk');
      return directory;
    },
    running,
    call: (operationId, callOptions = {}) => call(url, operationId, callOptions),
    async close() {
      await running.close();
      forgetService(url);
      expect(problems.flat()).toEqual([]);
      if (!options.directory) await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Calls a service in another process in the same way as one of this process. */
export function serviceAt(url: string): Pick<TestService, 'url' | 'call'> {
  return { url, call: (operationId, options = {}) => call(url, operationId, options) };
}

const ENDPOINTS = new Map(endpoints.map((endpoint) => [endpoint.operationId, endpoint]));

async function call(url: string, operationId: string, options: CallOptions): Promise<CallResult> {
  const endpoint = ENDPOINTS.get(operationId);
  if (!endpoint) throw new Error(`there is no operation ${operationId}`);
  const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_match, name: string) => {
    const value = options.params?.[name];
    if (value === undefined) throw new Error(`${operationId} needs the parameter ${name}`);
    return encodeURIComponent(String(value));
  });
  const token = options.token === undefined ? TOKENS[credentialOf(endpoint.access)] : options.token;
  const headers: Record<string, string> = {};
  if (token !== null) headers.authorization = token;
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  Object.assign(headers, options.headers);
  const { body } = options;
  const answer = await plainRequest(`${url}${path}${options.query ? `?${options.query}` : ''}`, {
    method: endpoint.method.toUpperCase(),
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const isJson = /^application\/(scim\+)?json/.test(answer.headers.get('content-type') ?? '');
  const result = { ...answer, body: isJson && answer.text !== '' ? JSON.parse(answer.text) : undefined };
  checkAnswer(endpoint, result, isAnnounced(url));
  return result;
}

/** Statuses that every route may answer, in addition to those it lists. */
const COMMON_STATUSES = [401, 403, 413, 415, 500, 503];

/** Checks a body against its schema only where `fetch` does not already check it against the OpenAPI document. */
function checkAnswer(
  endpoint: (typeof endpoints)[number],
  { status, body, text }: CallResult,
  isChecked: boolean,
): void {
  const where = () => `${endpoint.operationId} answered ${status}: ${text.slice(0, 500)}`;
  if (status < 400) {
    const stated = endpoint.responses[status];
    if (!stated) expect.fail(`${where()}; the route does not state this status`);
    if (!stated.schema && text !== '') expect.fail(`${where()}; the route states no body`);
    if (stated.schema && !isChecked) expectConforms(stated.schema, body, where());
    return;
  }
  const declared = [
    ...endpoint.errors,
    ...COMMON_STATUSES,
    ...(endpoint.body || endpoint.query || endpoint.params ? [400] : []),
  ];
  if (!declared.includes(status)) expect.fail(`${where()}; the route does not state this status`);
  const own = endpoint.responses[status]?.schema;
  if (own && body.name === undefined) {
    if (!isChecked) expectConforms(own, body, where());
    return;
  }
  const protocol = endpoint.kind === 'handled' ? endpoint.protocol : undefined;
  if (!isChecked) expectConforms(protocol?.errorSchema ?? ErrorBody, body, where());
  const stated = protocol ? Number(body.status) : ERRORS[body.name as keyof typeof ERRORS].status;
  if (stated !== status) expect.fail(`${where()}; the body says ${stated}`);
}

export function expectConforms(schema: TSchema, value: unknown, where: string): void {
  if (!Check(schema, value)) {
    const problems = Errors(schema, value).map((error) => `${error.instancePath} ${error.message}`);
    expect.fail(`${where}\ndoes not conform: ${problems.slice(0, 5).join('; ')}`);
  }
}
