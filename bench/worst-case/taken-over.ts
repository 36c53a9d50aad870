import { TAKEN_MAX } from '../../src/features/import-export/instance/input.ts';
import { DEFAULT_LIMITS } from '../../src/features/modules.ts';
import { FEATURE_TYPES } from '../../src/model/feature.ts';
import { FIELD, FLAVOURS, STRATEGY_VALUES } from './expensive-constraints.ts';
import type { Shape } from './largest-value.ts';
import type { World } from './world.ts';

/** Of what may be large each. */
const LARGE_MAX = 20;
/** Banners that are told again and again: others need room beside them. */
const BANNERS = 40;

/** What comes from elsewhere: as many things as one request brings, of every kind that says something of its own; or flags and banners as large as they may be. */
export function takenOver(world: World, shape: Shape, username: string): object {
  const { mode, scale } = shape;
  const most = (TAKEN_MAX - 1) * scale;
  const [flags, others] = mode === 'many' ? [0.58 * most, 0.14 * most] : [LARGE_MAX * scale, LARGE_MAX * scale];
  return {
    ...takenFlags(world, shape, Math.max(1, Math.floor(flags))),
    ...takenOfInstance(shape, Math.max(1, Math.floor(others))),
    ...takenOfPeople(world, username, mode === 'many' ? others : most - 3 * LARGE_MAX),
  };
}

function takenFlags({ project, environment }: World, { flavour, bytes, scale, attempt }: Shape, count: number): object {
  const constraints = FLAVOURS[flavour]?.((bytes * 0.8) / count, scale, STRATEGY_VALUES) ?? [];
  const parameters = { rollout: '100', stickiness: FIELD, groupId: 'group' };
  const content = { name: 'flexibleRollout', title: null, disabled: false, parameters, segments: [], variants: [] };
  const place = { environment, enabled: true, strategies: [{ id: '', ...content, constraints }], variants: [] };
  const facts = { project, type: 'release', description: null, stale: false, impressionData: false, archivedAt: null };
  const rest = { environments: [place], tags: [], dependencies: [], links: [] };
  return {
    features: Array.from({ length: count }, (_, at) => ({ name: `taken-${attempt}-${at}`, ...facts, ...rest })),
  };
}

/** Each differs from what was before it: nothing is left as it is. All banners say the same, so that each is looked for among all. */
function takenOfInstance({ mode, scale, attempt }: Shape, count: number): object {
  const dialog = mode === 'many' ? null : 'é'.repeat(10_000);
  return {
    featureTypes: Array.from({ length: count }, (_, at) => ({
      id: FEATURE_TYPES[at % FEATURE_TYPES.length],
      lifetimeDays: 1 + (at % 997),
    })),
    frontendOrigins: [
      {
        origins: Array.from(
          { length: Math.max(1, Math.floor(DEFAULT_LIMITS.frontendOrigins * scale)) },
          (_, at) => `https://${'a'.repeat(60)}.${attempt}-${at}.example.com`,
        ),
      },
    ],
    banners: Array.from({ length: count }, (_, at) => ({
      ...{ message: 'Freeze', createdAt: new Date(Date.UTC(2026, 0, 1) + (at % BANNERS)).toISOString(), dialog },
      linkText: `${attempt}-${at}`,
    })),
  };
}

/** One person marks as much as is left to be told. */
function takenOfPeople({ ordinaryFlags }: World, username: string, count: number): object {
  return {
    favorites: Array.from({ length: Math.max(1, Math.floor(count)) }, (_, at) => ({
      ...{ username, kind: 'feature', name: ordinaryFlags[at % ordinaryFlags.length] },
    })),
  };
}
