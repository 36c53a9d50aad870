import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { SliceClock, Slicer } from '../../../src/base/yield-control.ts';
import { endpoints } from '../../../src/features/registry.ts';
import { Exchange } from '../../../src/http/exchange.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { type Operation, operationsOfDocument, sendExample, textOfAnswer } from '../../support/example-requests.ts';
import { seedExamples } from '../../support/example-world.ts';
import { importBody } from '../../support/exports.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../../support/service.ts';

/**
 * Every request whose work grows with the state ends with its connection: of its time slices, none runs after the one that runs when the caller leaves.
 * The slices are counted: here every step is a slice. Which requests are long is found by sending the example of every operation that only reads.
 */
const FLAGS = 100;
/** Id of a person, beside those of the examples. */
const PERSON = 4_000;
/** A request with more slices is long. The work of the others does not grow with the number of flags. */
const SLICES_MAX = 60;
const PARTS = [0.1, 0.5, 0.9];
/** Turns of the event loop in which abandoned work would go on. */
const TURNS = 40;

/** The operations that read, although they are no GET. */
const READING_POSTS = new Set([
  'searchScim',
  'searchScimUsers',
  'searchScimGroups',
  'ofrepEvaluateFlags',
  'searchEvents',
  'exportFeatures',
  'validateImport',
  'getAdvancedPlayground',
  'getPlayground',
  'previewChanges',
  'evaluateContexts',
  'validateArchiveFeatures',
  'validateConstraint',
]);

interface Long {
  readonly operationId: string;
  readonly query?: string;
  readonly body?: unknown;
  /** Whether the request is about the state before the flags were changed. */
  readonly isPast?: true;
  /** Whether the request submits a write, which is never cancelled: only slices for the request itself count. */
  readonly submits?: true;
  /** Whether the sender is a person with a personal token: others may not use the operation. */
  readonly isByPerson?: true;
  /** Makes the work necessary again that later requests would share. */
  readonly prepare?: () => void | Promise<void>;
}

const NAMES = Array.from({ length: FLAGS }, (_, index) => `wide-${String(index).padStart(3, '0')}`);
const CONSTRAINT = { contextName: 'userId', operator: 'IN', values: ['u'] };

const EXPORT = {
  features: NAMES.map((name) => ({ name, type: 'release', description: 'wide' })),
  featureStrategies: NAMES.map((featureName) => ({
    featureName,
    name: 'default',
    parameters: {},
    constraints: [CONSTRAINT],
  })),
  featureEnvironments: NAMES.map((featureName) => ({
    featureName,
    environment: 'development',
    name: featureName,
    enabled: true,
    variants: [],
  })),
  featureTags: NAMES.map((featureName) => ({ featureName, tagType: 'simple', tagValue: featureName })),
};

const MCP_SEARCH = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_flags', arguments: { text: 'wide' } },
};

const forgetStatistics = () => service.running.services.projectStats.forgetAll();
/** Begins a moment of the state, so that no answer of the last one is shared: a change that none of the long requests shows. */
async function beginMoment(): Promise<void> {
  const body = { name: `moment-${service.running.services.state.seq}` };
  expect((await service.call('createContextField', { body })).status).toBe(201);
}
/** Changes all flags. */
async function changeFlags(): Promise<void> {
  isStale = !isStale;
  const body = { features: NAMES, stale: isStale };
  expect((await service.call('staleFeatures', { params: { projectId: 'default' }, body })).status).toBe(202);
}

/** Every long request. A walk over all operations finds those that are not listed here. */
const LONG: readonly Long[] = [
  ...[
    'getHistoryDifference',
    'getGauges',
    'getInstanceAdminStats',
    'getInstanceAdminStatsCsv',
    'getProjectHealthReport',
    'getContextFields',
    'getAdvancedPlayground',
    'getPlayground',
    'previewChanges',
    'listParentOptions',
    'getTags',
    'getFeatures',
    'getScimUsers',
    'searchScimUsers',
    'searchScim',
    'searchUsers',
    'getUsers',
    'getInactiveUsers',
    'getBaseUsersAndGroups',
    'getAvailableChangeRequestReviewers',
    'getFlagsWithoutCodeReferences',
    'getProjectEnvironments',
    'getEnvironmentsOfProject',
    'getEnvironment',
    'getAllEnvironments',
    'getEvents',
    'getManifest',
    'getProjectManifest',
  ].map((operationId) => ({ operationId })),
  ...[
    'getHistory',
    'getProjectHistory',
    'getEnvironmentHistory',
    'getFeatureHistory',
    'searchEventsByQuery',
    'searchFeatures',
  ].map((operationId): Long => ({ operationId, prepare: beginMoment })),
  ...['getFeatures', 'getSegments', 'getPlayground', 'getAdvancedPlayground'].map(
    (operationId): Long => ({ operationId, isPast: true }),
  ),
  { operationId: 'exportFeatures', submits: true, body: { environment: 'development', features: NAMES } },
  { operationId: 'validateImport', body: importBody(EXPORT) },
  { operationId: 'searchEvents', body: { query: 'wide', limit: 100 } },
  { operationId: 'searchEventsByQuery', query: 'query=wide&limit=100' },
  { operationId: 'evaluateContexts', body: { contexts: NAMES.map((userId) => ({ userId })) } },
  { operationId: 'getFlagIndex', prepare: changeFlags },
  { operationId: 'getProjects', prepare: forgetStatistics },
  { operationId: 'getFlagCreators', prepare: forgetStatistics },
  { operationId: 'searchFeatures', prepare: changeFlags },
  { operationId: 'getBackup' },
  // A read through MCP.
  { operationId: 'callMcp', isByPerson: true, body: MCP_SEARCH, prepare: changeFlags },
];

let isStale = false;
let service: TestService;
let operations: Map<string, Operation>;
/** A revision before the flags were changed. */
let past = 0;
/** The personal token of an admin. */
let personalToken = '';

/** Starts a service with many flags and users. */
async function startWide(env: Readonly<Record<string, string>>): Promise<void> {
  service = await startTestService({ env: { ...env, SECRETS_KEY: 'a key of a test, with more than 32 characters' } });
  await seedExamples(service, false);
  const imported = await service.call('importFeatures', { body: importBody(EXPORT) });
  expect([imported.status, imported.body.warnings]).toEqual([200, []]);
  await putUser(service, PERSON, { rootRole: ROLE_ID.admin });
  personalToken = await personalTokenOf(service, PERSON);
  past = service.running.services.state.seq;
  await changeFlags();
  for (let user = 0; user < FLAGS; user++) await service.call('createScimUser', { body: { userName: `wide-${user}` } });
}

beforeAll(async () => {
  operations = new Map((await operationsOfDocument()).map((each) => [each.operation.operationId, each]));
});

afterEach(() => vi.restoreAllMocks());

/** Whether every step is a slice. */
let isSpent = true;

/** Makes every step a slice. `pausing` is called before each pause, with the number of pauses until now. */
function countSlices({ submits }: Long, pausing: (count: number) => Promise<void> | undefined = () => undefined) {
  const counted = { slices: 0 };
  const { pause } = Slicer.prototype;
  isSpent = true;
  vi.spyOn(SliceClock.prototype, 'spent', 'get').mockImplementation(() => isSpent);
  vi.spyOn(SliceClock.prototype, 'charge').mockReturnValue(true);
  vi.spyOn(Slicer.prototype, 'pause').mockImplementation(async function pausedOnce(this: Slicer) {
    if (!submits || this.asker !== SERVICE) await pausing(++counted.slices);
    await pause.call(this);
  });
  return counted;
}

function send(
  { operationId, isPast, isByPerson, query = isPast && `at=${past}`, body }: Long,
  signal?: AbortSignal,
): Promise<string> {
  const operation = operations.get(operationId) as Operation;
  const changed = { ...(query !== undefined && { query }), ...(body !== undefined && { body }) };
  const sent = sendExample(service.url, operation, isByPerson ? personalToken : ADMIN_TOKEN, {
    ...changed,
    ...(signal && { signal }),
  });
  return sent.then(textOfAnswer);
}

/** Number of slices of the whole request. The first request prepares what later ones share. */
async function slicesOf(long: Long): Promise<number> {
  await send(long);
  await long.prepare?.();
  const counted = countSlices(long);
  await send(long);
  await turns();
  vi.restoreAllMocks();
  return counted.slices;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await setImmediate();
}

/**
 * Closes the connection when so many slices have run, or waits for the deadline. Returns how many run after the service has noticed it, and the status of
 * the answer.
 */
async function slicesAfter(long: Long, last: number, end: 'leave' | 'deadline' = 'leave') {
  await long.prepare?.();
  const leaving = new AbortController();
  const { end: endExchange } = Exchange.prototype;
  let noticed = () => {};
  const isNoticed = new Promise<void>((resolve) => {
    noticed = resolve;
  });
  vi.spyOn(Exchange.prototype, 'end').mockImplementation(function ended(this: Exchange) {
    endExchange.call(this);
    isSpent = true;
    noticed();
  });
  const counted = countSlices(long, (count) => {
    if (count !== last) return undefined;
    if (end === 'leave') leaving.abort();
    // The check of deadlines would also end at once.
    isSpent = false;
    return isNoticed;
  });
  const answered = send(long, leaving.signal).catch(() => 'left');
  await isNoticed;
  await turns();
  const answer = await answered;
  vi.restoreAllMocks();
  return { slices: counted.slices - last, answer };
}

describe('long requests', () => {
  beforeAll(() => startWide({}), 120_000);
  afterAll(() => service.close());

  it('are all in the table: those that read, and whose work grows with the number of flags', {
    timeout: 240_000,
  }, async () => {
    const reading = endpoints.filter(
      ({ kind, method, operationId }) => kind !== 'subscribed' && (method === 'get' || READING_POSTS.has(operationId)),
    );
    const long: string[] = [];
    for (const { operationId } of reading) {
      const slices = await slicesOf({ operationId });
      if (slices > SLICES_MAX) long.push(operationId);
    }
    const listed = new Set(LONG.map(({ operationId }) => operationId));
    expect(long.filter((operationId) => !listed.has(operationId))).toEqual([]);
  });

  describe.each(LONG.map((long) => [`${long.operationId}${long.isPast ? ' of the past' : ''}`, long] as const))(
    'an abandoned %s',
    (_name, long) => {
      it('runs no slice after the running one', { timeout: 60_000 }, async () => {
        const slices = await slicesOf(long);
        expect(slices).toBeGreaterThan(PARTS.length);
        const after: object[] = [];
        for (const part of PARTS) after.push(await slicesAfter(long, Math.max(1, Math.floor(slices * part))));
        expect(after, `of ${slices}`).toEqual(PARTS.map(() => ({ slices: 0, answer: 'left' })));
      });
    },
  );
});

describe.each(['fast', 'node'])('with the front %s', (front) => {
  const some = LONG.filter(
    ({ operationId, isPast }) =>
      /^(getHistory|getFeatures|getFlagIndex)$/.test(operationId) && (isPast || operationId !== 'getFeatures'),
  );

  beforeAll(() => startWide({ HTTP_FRONT: front, HANDLER_DEADLINE_MS: '1000' }), 120_000);
  afterAll(() => service.close());

  it.each(some)('$operationId ends with its connection and at its deadline', { timeout: 30_000 }, async (long) => {
    // Early: the deadline does not apply to an answer that is being sent.
    const early = Math.ceil((await slicesOf(long)) / 10);
    expect(await slicesAfter(long, early)).toEqual({ slices: 0, answer: 'left' });
    const { slices, answer } = await slicesAfter(long, early, 'deadline');
    expect([slices, JSON.parse(answer).name]).toEqual([0, 'ServiceUnavailableError']);
  });
});

it('imports nothing if the caller leaves before the commit', async () => {
  await startWide({});
  const before = service.running.services.state.seq;
  const body = importBody({ ...EXPORT, features: EXPORT.features.map((one) => ({ ...one, description: 'changed' })) });
  const { answer } = await slicesAfter({ operationId: 'importFeatures', body }, 10);
  expect([answer, service.running.services.state.seq]).toEqual(['left', before]);
  await service.close();
});
