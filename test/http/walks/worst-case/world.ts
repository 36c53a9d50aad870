import { setting } from '../../../../bench/support/report.ts';
import { DEFAULT_LIMITS } from '../../../../src/features/modules.ts';
import type { Api } from './api.ts';
import {
  FIELD,
  FLAVOURS,
  flavoursInUse,
  LEGAL_FIELD,
  LEGAL_VALUE,
  SEGMENT_VALUES,
  STRATEGY_VALUES,
} from './expensive-constraints.ts';

/** Size of the body of a standard request. */
export const BODY_BYTES = 950_000;
const STRATEGIES_TRIED = setting('BENCH_STRATEGIES', DEFAULT_LIMITS.featureEnvironmentStrategies);
const SCALES = [1, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.005];

/** Names and ids of the most expensive flags that the limits allow; the requests use them. */
export interface World {
  readonly project: string;
  readonly environment: string;
  readonly environments: readonly string[];
  readonly segmentIds: readonly number[];
  /** One flag for each kind of constraints, with as many strategies and constraints as the limits allow. */
  readonly heavyFlags: readonly string[];
  /** Ids of the strategies of the first heavy flag. */
  readonly strategyIds: readonly string[];
  readonly ordinaryFlags: readonly string[];
  readonly tagType: string;
}

const flagsPath = '/api/admin/projects/default/features';
export const strategiesPath = (flag: string) => `${flagsPath}/${flag}/environments/development/strategies`;

/** Builds the most expensive state that the API accepts: a refused request is tried again smaller. `ordinaryFlags` exist already. */
export async function makeWorld(api: Api, ordinaryFlags: readonly string[]): Promise<World> {
  const project = await api.send({
    method: 'PUT',
    path: '/api/admin/projects/default',
    body: { name: 'Default', featureLimit: null },
  });
  if (project.status >= 300) throw new Error(`the project's limit cannot be removed: ${project.text}`);
  await api.accepted({ method: 'POST', path: '/api/admin/context', body: { name: FIELD, stickiness: true } });
  await firstAccepted(api, 'POST', '/api/admin/context', (scale) => ({
    name: LEGAL_FIELD,
    legalValues: Array.from({ length: Math.ceil(10_000 * scale) }, (_, index) => ({ value: LEGAL_VALUE(index) })),
  }));
  await api.accepted({ method: 'POST', path: '/api/admin/tag-types', body: { name: 'heavy' } });
  const segmentIds: number[] = [];
  for (const flavour of ['ids', 'contains', 'repeats', 'classes', 'cidr']) {
    const answer = await firstAccepted(api, 'POST', '/api/admin/segments', (scale) => ({
      name: `heavy-${flavour}`,
      constraints: FLAVOURS[flavour]?.(BODY_BYTES * scale, scale, SEGMENT_VALUES),
    }));
    segmentIds.push((answer as { id: number }).id);
  }
  const heavyFlags: string[] = [];
  let strategyIds: string[] = [];
  for (const flavour of flavoursInUse()) {
    const name = `heavy-${flavour}`;
    await api.accepted({ method: 'POST', path: flagsPath, body: { name } });
    const ids = await fill(api, name, flavour, heavyFlags.length < 2 ? segmentIds : []);
    await api.accepted({ method: 'POST', path: `${flagsPath}/${name}/environments/development/on` });
    heavyFlags.push(name);
    if (strategyIds.length === 0) strategyIds = ids;
  }
  return {
    project: 'default',
    environment: 'development',
    environments: ['development', 'production'],
    segmentIds,
    heavyFlags,
    strategyIds,
    ordinaryFlags,
    tagType: 'heavy',
  };
}

/** Adds strategies until the limits refuse more. */
async function fill(api: Api, flag: string, flavour: string, segments: readonly number[]): Promise<string[]> {
  const ids: string[] = [];
  let from = 0;
  for (let count = 0; count < STRATEGIES_TRIED && from < SCALES.length; count++) {
    const body = (scale: number) => ({
      name: 'flexibleRollout',
      parameters: { rollout: '100', stickiness: FIELD, groupId: `${flag}${count}` },
      constraints: FLAVOURS[flavour]?.(BODY_BYTES * scale, scale, STRATEGY_VALUES),
      segments: scale > 0.2 ? segments : segments.slice(0, 1),
    });
    const { id, at } = await accepting(api, strategiesPath(flag), body, from);
    if (id === undefined) break;
    ids.push(id);
    from = at;
  }
  return ids;
}

async function accepting(api: Api, path: string, body: (scale: number) => unknown, from: number) {
  for (let at = from; at < SCALES.length; at++) {
    const { status, text } = await api.send({ method: 'POST', path, body: body(SCALES[at] ?? 0) });
    // A large answer is truncated; its id is near the beginning.
    if (status < 300) return { id: /"id":"([^"]+)"/.exec(text)?.[1] ?? '', at };
  }
  return { id: undefined, at: from };
}

async function firstAccepted(
  api: Api,
  method: string,
  path: string,
  body: (scale: number) => unknown,
): Promise<unknown> {
  let refusal = '';
  for (const scale of SCALES) {
    const { status, text } = await api.send({ method, path, body: body(scale) });
    if (status < 300) return { id: Number(/"id":(\d+)/.exec(text)?.[1]) };
    refusal = `${status} ${text.slice(0, 300)}`;
  }
  throw new Error(`${path} refuses everything: ${refusal}`);
}
