import type { Api } from './api.ts';
import type { Shape } from './largest-value.ts';
import type { World } from './world.ts';

const ENDPOINTS = '/api/admin/signal-endpoints';

/** The numbers of a set by default. */
const [ACTIONS, FILTERS, VALUES, SETS] = [10, 5, 25, 20];
/** The largest signal. */
const SIGNAL_BYTES = 100_000;

type Own = Readonly<Record<string, string>>;

const setsPath = (world: World) => `/api/admin/projects/${world.project}/actions`;

/** Deletes all action sets of the project and all endpoints, so that no limit is reached. */
async function clear(api: Api, world: World): Promise<void> {
  const { actions } = (await api.accepted({ method: 'GET', path: setsPath(world) })) as { actions: { id: number }[] };
  for (const { id } of actions) await api.accepted({ method: 'DELETE', path: `${setsPath(world)}/${id}` });
  const { signalEndpoints } = (await api.accepted({ method: 'GET', path: ENDPOINTS })) as {
    signalEndpoints: { id: number }[];
  };
  for (const { id } of signalEndpoints) await api.accepted({ method: 'DELETE', path: `${ENDPOINTS}/${id}` });
}

async function posted<T>(api: Api, path: string, body: object): Promise<T> {
  return (await api.accepted({ method: 'POST', path, body })) as T;
}

/** An endpoint with a token. */
export async function ownEndpoint(api: Api, attempt: string, world: World): Promise<Own> {
  await clear(api, world);
  const name = `own-${attempt}`;
  const { id } = await posted<{ id: number }>(api, ENDPOINTS, { name });
  const body = { name: 'own' };
  const { id: tokenId, token } = await posted<{ id: number; token: string }>(api, `${ENDPOINTS}/${id}/tokens`, body);
  return { id: String(id), sourceId: String(id), tokenId: String(tokenId), token, name };
}

/** The path parameters of an endpoint without tokens. */
export async function bareEndpoint(api: Api, attempt: string, world: World): Promise<Own> {
  const { id = '', tokenId } = await ownEndpoint(api, attempt, world);
  await api.accepted({ method: 'DELETE', path: `${ENDPOINTS}/${id}/tokens/${tokenId}` });
  return { id };
}

export async function noEndpoints(api: Api, _attempt: string, world: World): Promise<Own> {
  await clear(api, world);
  return {};
}

/** An endpoint and a service account, for action sets. */
export async function ownSource(api: Api, attempt: string, world: World): Promise<Own> {
  const own = await ownEndpoint(api, attempt, world);
  const account = { username: `actor-${attempt}`, rootRole: 2 };
  const { id } = await posted<{ id: number }>(api, '/api/admin/service-account', account);
  return { ...own, actorId: String(id) };
}

/** An action set. */
export async function ownActionSet(api: Api, attempt: string, world: World): Promise<Own> {
  const own = await ownSource(api, attempt, world);
  const { id } = await posted<{ id: number }>(api, setsPath(world), largestActionSet(world, 'many', own));
  return { ...own, id: String(id) };
}

/** An endpoint with as many action sets as a project has, with regular expressions that match no signal: `inverted`, so every filter is tested. */
export async function fullEndpoint(api: Api, attempt: string, world: World): Promise<Own> {
  const own = await ownSource(api, attempt, world);
  for (let count = 0; count < SETS; count++)
    // Without a description, so that `clear` can read the list of them.
    await posted(api, setsPath(world), {
      ...largestActionSet(world, 'large', own),
      name: `own-${count}`,
      description: null,
    });
  return own;
}

export function largestActionSet(world: World, mode: Shape['mode'], own: Own): object {
  const values = Array.from({ length: VALUES }, (_, index) => `${index}`.padEnd(500, 'v'));
  const condition =
    mode === 'many'
      ? { operator: 'STR_CONTAINS', values, inverted: true, caseInsensitive: true }
      : { operator: 'REGEX', value: '(a|b|c)+d', inverted: true };
  const payload = Object.fromEntries(
    Array.from({ length: FILTERS }, (_, index) => [`${'a.'.repeat(45)}f${index}`, condition]),
  );
  const featureName = world.heavyFlags[0] ?? '';
  const step = { action: 'TOGGLE_FEATURE_OFF', executionParams: { environment: 'development', featureName } };
  return {
    name: 'own',
    description: 'd'.repeat(10_000),
    actorId: Number(own.actorId),
    match: { source: 'signal-endpoint', sourceId: Number(own.sourceId), payload },
    actions: Array.from({ length: ACTIONS }, () => step),
  };
}

/** A signal of the largest size: with the values of the filters, or with many names. */
export function largestSignal({ mode }: Shape): object {
  if (mode === 'many')
    return Object.fromEntries(Array.from({ length: SIGNAL_BYTES / 20 }, (_, index) => [`name-${index}`.padEnd(12), 1]));
  let inner: object = Object.fromEntries(
    Array.from({ length: FILTERS }, (_, index) => [`f${index}`, 'abc'.repeat(1_360)]),
  );
  for (let depth = 0; depth < 45; depth++) inner = { a: inner };
  return inner;
}
