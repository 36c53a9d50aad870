import { CLIENT_TOKEN, FRONTEND_TOKEN } from '../../../../bench/support/service.ts';
import type { Call, Sent } from './api.ts';
import type { Operation } from './document.ts';
import { type Bench, described, held, isQuick, type Measured } from './measure.ts';
import {
  environmentName,
  LOGIN,
  sessionOf,
  tokenOf,
  WIDE_FLAGS,
  WIDE_PROJECTS,
  WIDE_ROLE_ID,
  wideFlagName,
} from './people.ts';
import { type Attempt, attemptOf } from './requests.ts';

/** The projects of the requests, and their labels in the table: the project with most flags, and the two with wide flags. */
const PROJECTS: Readonly<Record<string, string>> = {
  default: '',
  [WIDE_PROJECTS.private]: ', in a private project of wide flags',
  [WIDE_PROJECTS.open]: ', in an open project of wide flags',
};

const NO_TOKEN = { authorization: '' };

/** The headers of every kind of caller. All other measurements use an admin token. */
const CALLERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'an admin': { ...NO_TOKEN, ...sessionOf('admin') },
  'an editor': { ...NO_TOKEN, ...sessionOf('editor') },
  'a viewer': { ...NO_TOKEN, ...sessionOf('viewer') },
  'a viewer in all groups': { ...NO_TOKEN, ...sessionOf('wide') },
  'a custom role, by personal token': tokenOf('custom'),
  'a service account': tokenOf('service'),
  'a client token': { authorization: CLIENT_TOKEN },
  'a frontend token': { authorization: FRONTEND_TOKEN },
  'an anonymous caller': NO_TOKEN,
};

/** The callers of changes: their permissions are checked again on the draft. */
const WRITERS: readonly string[] = ['a viewer in all groups', 'a custom role, by personal token'];

/** Bodies are small here: measure.ts measures the cost of large bodies. */
const SMALL = { mode: 'many', flavour: 'ids', bytes: 2_000, scale: 0.01 } as const;

const OPEN = `/api/admin/projects/${WIDE_PROJECTS.open}`;
const ALL_WIDE_FLAGS = {
  features: Array.from({ length: WIDE_FLAGS }, (_, index) => wideFlagName(WIDE_PROJECTS.open, index)),
};

/** Changes of all flags of a project, and the calls that an admin makes before and after, so that each measurement starts with the same flags. */
const OF_MANY_FLAGS: Readonly<Record<string, { readonly before?: Call; readonly after?: Call }>> = {
  staleFeatures: {},
  addTagToFeatures: {},
  validateArchiveFeatures: {},
  bulkToggleFeaturesEnvironmentOn: {},
  bulkToggleFeaturesEnvironmentOff: {},
  archiveFeatures: { after: { method: 'POST', path: `${OPEN}/revive`, body: ALL_WIDE_FLAGS } },
  reviveFeatures: { before: { method: 'POST', path: `${OPEN}/archive`, body: ALL_WIDE_FLAGS } },
  removeEnvironmentFromProject: {
    after: { method: 'POST', path: `${OPEN}/environments`, body: { environment: environmentName(0) } },
  },
};

let attempts = 0;

/**
 * Measures one operation by every kind of caller: in each of `PROJECTS` if it only reads, and also on the wide flags if it changes many flags. Before each
 * request a user signs on and a role changes, so that nothing cached about the caller is left. With BENCH_QUICK all of them are measured together, and
 * each of them alone only if something exceeded the bar.
 */
export async function measureCallers(bench: Bench, operation: Operation, barMs: number, tries: number) {
  const asked = Object.entries(CALLERS)
    .filter(([caller]) => !isLeftOut(operation, caller))
    .flatMap(([caller, headers]) => projectsOf(operation).map((project) => ({ caller, headers, project })));
  const together = isQuick ? await measureTogether(bench, operation, asked) : [];
  if (together.length > 0 && together.every(({ ownMs }) => ownMs <= barMs)) return together;
  const results: Measured[] = [];
  for (const one of asked) {
    let best: Measured | undefined;
    for (let count = 0; count < tries && (!best || best.ownMs > barMs); count++) {
      const measured = await measureOnce(bench, operation, one);
      best = { ...measured, ownMs: Math.min(measured.ownMs, best?.ownMs ?? measured.ownMs) };
    }
    if (best) results.push(best);
  }
  return results;
}

/** The longest turn of all requests together, with their preparations: none of them took longer. */
async function measureTogether(bench: Bench, operation: Operation, asked: readonly Asked[]): Promise<Measured[]> {
  const { sent: all, ownMs } = await held(bench.service, async () => {
    const results: Measured[] = [];
    for (const one of asked) {
      const request = await prepare(bench, operation, one);
      results.push(measuredOf(request, one, await bench.api.send(request.call), 0));
      if (request.after) await bench.api.accepted(request.after);
    }
    return results;
  });
  return all.map((one) => ({ ...one, ownMs }));
}

function projectsOf({ operationId, method, path }: Operation): readonly string[] {
  if (OF_MANY_FLAGS[operationId]) return ['default', WIDE_PROJECTS.open];
  return path.includes('{projectId}') && method === 'GET' ? Object.keys(PROJECTS) : ['default'];
}

/** A caller that signs out cannot call again, so signing out is measured only without credentials. */
function isLeftOut({ operationId, method }: Operation, caller: string): boolean {
  if (/logout/i.test(operationId)) return caller !== 'an anonymous caller';
  return method !== 'GET' && !WRITERS.includes(caller);
}

interface Asked {
  readonly caller: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly project: string;
}

/** The same call in another project, whose flags have other names. */
function inProject({ path, body, ...call }: Call, project: string): Call {
  if (project === 'default') return { ...call, path, body };
  const there = path
    .replace('/projects/default', `/projects/${project}`)
    .replace(/\/features\/[^/?]+/, `/features/${wideFlagName(project, 0)}`)
    .replace(/\/strategies\/[^/?]+$/, '/strategies/0-development-0')
    .replace(/(\/projects\/[^/]+\/environments)\/[^/?]+$/, `$1/${environmentName(0)}`);
  const isOfMany = typeof body === 'object' && body !== null && 'features' in body;
  return { ...call, path: there, body: isOfMany ? { ...body, ...ALL_WIDE_FLAGS } : body };
}

interface Prepared {
  readonly attempt: Attempt;
  readonly call: Call;
  readonly after: Call | undefined;
}

async function prepare(bench: Bench, operation: Operation, { headers, project }: Asked): Promise<Prepared> {
  const { api } = bench;
  const attempt = await attemptOf(operation, { ...SMALL, attempt: `c${(attempts++).toString(36)}x` }, bench);
  const call = inProject({ ...attempt.call, headers: { ...attempt.call.headers, ...headers } }, project);
  const { before, after } = project === 'default' ? {} : (OF_MANY_FLAGS[operation.operationId] ?? {});
  if (before) await api.accepted(before);
  await api.accepted({ method: 'POST', path: '/auth/simple/login', body: LOGIN });
  const role = { name: 'wide-root', description: `changed ${attempts}` };
  await api.accepted({ method: 'PUT', path: `/api/admin/roles/${WIDE_ROLE_ID}`, body: role });
  return { attempt, call, after };
}

async function measureOnce(bench: Bench, operation: Operation, asked: Asked): Promise<Measured> {
  const { api, service } = bench;
  const request = await prepare(bench, operation, asked);
  const { sent, ownMs } = await held(service, () => api.send(request.call));
  if (request.after) await api.accepted(request.after);
  return measuredOf(request, asked, sent, ownMs);
}

function measuredOf({ attempt }: Prepared, { caller, project }: Asked, sent: Sent, ownMs: number): Measured {
  return {
    operationId: attempt.operationId,
    what: `${described(attempt)}, by ${caller}${PROJECTS[project]}`,
    status: sent.status,
    answerBytes: sent.bytes,
    refusal: sent.status < 400 ? '' : sent.text.slice(0, 400),
    ownMs,
    readersOwnMs: 0,
  };
}
