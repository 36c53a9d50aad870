import { DEAREST_TEXT, dependentFlags } from '../test/evaluation/dearest/flags.ts';
import { type ProbedService, startProbedRelay, startProbedService } from './support/probed.ts';
import { atMost, type Figure, finish, pair, settings } from './support/report.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from './support/service.ts';

/**
 * The longest hold of the event loop by evaluations at the declared limits: BENCH_FLAGS (20) flags that take longest to evaluate, each with as many such
 * parents as a flag may have. Asked by admins and by browsers, of the server and of a relay; one request at a time, and BENCH_CALLERS (10) at once. The
 * processor time of the loop's thread in one turn, the least of BENCH_TRIES (5): the collector and the compiler of the engine strike at random.
 */
const { FLAGS, CALLERS, TRIES } = settings({ FLAGS: 20, CALLERS: 10, TRIES: 5 });
const HOLD_AIM_MS = 10;

interface Request {
  readonly name: string;
  readonly path: string;
  readonly token: string;
  readonly body: object;
}

const flags = dependentFlags(FLAGS);
const [child, parent] = [flags[0]?.name ?? '', flags[FLAGS]?.name ?? ''];
const properties = { text: DEAREST_TEXT };
const contexts = { given: [{ properties }, { properties }] };
const [project, environment] = ['default', 'development'];
const change = {
  action: 'updateEnabled',
  feature: parent,
  payload: { enabled: false },
};

const BY_BROWSERS: readonly Request[] = [
  { name: '/api/frontend', path: '/api/frontend', token: FRONTEND_TOKEN, body: { context: { properties } } },
  { name: 'OFREP, all flags', path: '/ofrep/v1/evaluate/flags', token: FRONTEND_TOKEN, body: { context: properties } },
  {
    name: 'OFREP, one flag',
    path: `/ofrep/v1/evaluate/flags/${child}`,
    token: FRONTEND_TOKEN,
    body: { context: properties },
  },
];

const BY_ADMINS: readonly Request[] = [
  {
    name: 'playground',
    path: '/api/admin/playground',
    token: ADMIN_TOKEN,
    body: { environment, projects: [project], context: { appName: 'bench', properties } },
  },
  {
    name: 'advanced playground',
    path: '/api/admin/playground/advanced',
    token: ADMIN_TOKEN,
    body: { environments: [environment], projects: [project], context: { appName: 'bench', properties } },
  },
  {
    name: 'preview',
    path: '/api/admin/preview',
    token: ADMIN_TOKEN,
    body: { project, environment, changes: [change], contexts },
  },
];

/** A change request with the change, and its preview. */
async function previewOfRequest({ url }: ProbedService): Promise<Request> {
  const ask = async (method: string, path: string, body: object) => {
    const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/admin/projects/${project}/environments/${environment}/${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
    return text;
  };
  await ask('PUT', 'change-requests/config', { changeRequestsEnabled: true, requiredApprovals: 1 });
  const { id } = JSON.parse(await ask('POST', 'change-requests', change)) as { readonly id: number };
  const body = { changeRequest: id, contexts };
  return { name: 'preview of a change request', path: '/api/admin/preview', token: ADMIN_TOKEN, body };
}

async function send(service: ProbedService, { path, token, body, name }: Request): Promise<void> {
  const headers = { authorization: token, 'content-type': 'application/json' };
  const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  // One caller may have a few previews at a time.
  if (response.status !== 200 && response.status !== 429)
    throw new Error(`${name}: ${response.status} ${text.slice(0, 500)}`);
}

async function longestMs(service: ProbedService, request: Request, callers: number): Promise<number> {
  await send(service, request);
  const holds: number[] = [];
  for (let count = 0; count < TRIES; count++) {
    await service.takeHolds();
    await Promise.all(Array.from({ length: callers }, () => send(service, request)));
    holds.push((await service.takeHolds()).longestOwnMs);
  }
  return Math.min(...holds);
}

async function measure(service: ProbedService, at: string, requests: readonly Request[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const request of requests) {
    for (const callers of [1, CALLERS]) {
      const heldMs = await longestMs(service, request, callers);
      const name = `${at}: ${request.name}, ${callers} at once`;
      figures.push(atMost(1, pair(name, 'ms', heldMs, HOLD_AIM_MS)));
    }
  }
  return figures;
}

const server = await startProbedService(flags);
try {
  const relay = await startProbedRelay(server.url, [CLIENT_TOKEN]);
  try {
    const figures = [
      ...(await measure(server, 'server', [...BY_ADMINS, await previewOfRequest(server), ...BY_BROWSERS])),
      ...(await measure(relay, 'relay', BY_BROWSERS)),
    ];
    finish('The longest hold by evaluations at the limits', figures);
  } finally {
    await relay.end();
  }
} finally {
  await server.end();
}
