import { IMPORTED_MAX } from '../../../../src/features/import-export/instance/input.ts';
import { DEFAULT_LIMITS } from '../../../../src/features/modules.ts';
import { FEATURE_TYPES } from '../../../../src/model/feature.ts';
import { FIELD, FLAVOURS, STRATEGY_VALUES } from './expensive-constraints.ts';
import type { Shape } from './largest-value.ts';
import type { World } from './world.ts';

/** Maximum number of items that are large themselves. */
const LARGE_MAX = 20;
/** Number of different banners, which are repeated: the limit must leave capacity for the banners of other operations. */
const BANNERS = 40;

/** The body of an import from another instance: as many items of every kind as one request may have; or flags and banners of the maximum size. */
export function takenOver(world: World, shape: Shape, username: string): object {
  const { mode, scale } = shape;
  const most = (IMPORTED_MAX - 1) * scale;
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

/** Each item differs from the one before it, so that every item is a change. All banners have the same message, so that each is compared with all others. */
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
      message: 'Freeze',
      createdAt: new Date(Date.UTC(2026, 0, 1) + (at % BANNERS)).toISOString(),
      dialog,
      linkText: `${attempt}-${at}`,
    })),
  };
}

/** Favorites of one user, to fill the rest of the request. */
function takenOfPeople({ ordinaryFlags }: World, username: string, count: number): object {
  return {
    favorites: Array.from({ length: Math.max(1, Math.floor(count)) }, (_, at) => ({
      username,
      kind: 'feature',
      name: ordinaryFlags[at % ordinaryFlags.length],
    })),
  };
}
