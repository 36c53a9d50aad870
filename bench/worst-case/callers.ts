import { CLIENT_TOKEN, FRONTEND_TOKEN } from '../support/service.ts';
import type { Call } from './api.ts';
import type { Operation } from './document.ts';
import { type Bench, described, held, type Measured } from './measure.ts';
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
import { attemptOf } from './requests.ts';

/** Where is asked, and how the table names it: where most flags are, and where the wide ones are. */
const PROJECTS: Readonly<Record<string, string>> = {
  default: '',
  [WIDE_PROJECTS.private]: ', in a private project of wide flags',
  [WIDE_PROJECTS.open]: ', in an open project of wide flags',
};

const NO_TOKEN = { authorization: '' };

/** Every kind of caller, by what its requests carry. An admin token is what every other measurement is made with. */
const CALLERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'an admin': { ...NO_TOKEN, ...sessionOf('admin') },
  'an editor': { ...NO_TOKEN, ...sessionOf('editor') },
  'a viewer': { ...NO_TOKEN, ...sessionOf('viewer') },
  'a viewer in all groups': { ...NO_TOKEN, ...sessionOf('wide') },
  'a custom role, by personal token': tokenOf('custom'),
  'a service account': tokenOf('service'),
  'a client token': { authorization: CLIENT_TOKEN },
  'a frontend token': { authorization: FRONTEND_TOKEN },
  nobody: NO_TOKEN,
};

/** Who writes: what lets them in is asked again of the draft. */
const WRITERS: readonly string[] = ['a viewer in all groups', 'a custom role, by personal token'];

/** Of bodies: what they cost is measured elsewhere. */
const SMALL = { mode: 'many', flavour: 'ids', bytes: 2_000, scale: 0.01 } as const;

const OPEN = `/api/admin/projects/${WIDE_PROJECTS.open}`;
const ALL_WIDE_FLAGS = {
  features: Array.from({ length: WIDE_FLAGS }, (_, index) => wideFlagName(WIDE_PROJECTS.open, index)),
};

/** Changes that reach all flags of a project, and what an admin does before and after, so that each finds the same flags. */
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
 * One operation by every kind of caller, in each of `PROJECTS` if it only reads; a change of many flags also of those that are wide. Before each request somebody signs on and a role changes, so that
 * nothing is left of what was gathered of the caller. The dearest that was taken and the dearest that was refused.
 */
export async function measureCallers(bench: Bench, operation: Operation, barMs: number, tries: number) {
  const results: Measured[] = [];
  for (const [caller, headers] of Object.entries(CALLERS)) {
    if (isLeftOut(operation, caller)) continue;
    for (const project of projectsOf(operation)) {
      let best: Measured | undefined;
      for (let count = 0; count < tries && (!best || best.ownMs > barMs); count++) {
        const one = await measureOnce(bench, operation, { caller, headers, project });
        best = { ...one, ownMs: Math.min(one.ownMs, best?.ownMs ?? one.ownMs) };
      }
      if (best) results.push(best);
    }
  }
  return results;
}

function projectsOf({ operationId, method, path }: Operation): readonly string[] {
  if (OF_MANY_FLAGS[operationId]) return ['default', WIDE_PROJECTS.open];
  return path.includes('{projectId}') && method === 'GET' ? Object.keys(PROJECTS) : ['default'];
}

/** Who signs out calls no more. */
function isLeftOut({ operationId, method }: Operation, caller: string): boolean {
  if (/logout/i.test(operationId)) return caller !== 'nobody';
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

async function measureOnce(bench: Bench, operation: Operation, { caller, headers, project }: Asked): Promise<Measured> {
  const { api, service } = bench;
  const attempt = await attemptOf(operation, { ...SMALL, attempt: `c${(attempts++).toString(36)}x` }, bench);
  const call = inProject({ ...attempt.call, headers: { ...attempt.call.headers, ...headers } }, project);
  const { before, after } = project === 'default' ? {} : (OF_MANY_FLAGS[operation.operationId] ?? {});
  if (before) await api.accepted(before);
  await api.accepted({ method: 'POST', path: '/auth/simple/login', body: LOGIN });
  const role = { name: 'wide-root', description: `changed ${attempts}` };
  await api.accepted({ method: 'PUT', path: `/api/admin/roles/${WIDE_ROLE_ID}`, body: role });
  const { sent, ownMs } = await held(service, () => api.send(call));
  if (after) await api.accepted(after);
  return {
    operationId: operation.operationId,
    what: `${described(attempt)}, by ${caller}${PROJECTS[project]}`,
    status: sent.status,
    answerBytes: sent.bytes,
    refusal: sent.status < 400 ? '' : sent.text.slice(0, 400),
    ownMs,
    readersOwnMs: 0,
  };
}
