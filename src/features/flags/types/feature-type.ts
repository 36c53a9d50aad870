import Type from 'typebox';
import { DAY_MS } from '../../../base/clock.ts';
import { collection } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { FEATURE_TYPES, type Feature, FeatureType } from '../../../model/feature.ts';
import { Nullable } from '../../../model/primitives.ts';

/** A hundred years. */
const LIFETIME_DAYS_MAX = 36_500;

/** The lifetime that a user has set for a flag type: how long flags of the type are expected to be needed. Collection `featureTypes`, key: the id. */
export const FeatureTypeLifetime = Type.Object({
  id: FeatureType,
  /** Days from the creation of a flag. Stored as null if the lifetime has no end. */
  lifetimeDays: Nullable(Type.Integer({ minimum: 0, maximum: LIFETIME_DAYS_MAX, description: 'Null or 0: no end' })),
});
export type FeatureTypeLifetime = EntityOf<typeof FeatureTypeLifetime>;

/**
 * Exists while a flag is potentially stale and the audit log has the event for it, so that the event is recorded only once. Collection `staleMarks`,
 * key: the flag's name.
 */
interface StaleMark {
  readonly feature: string;
  readonly at: string;
}

interface TypeDetails {
  readonly name: string;
  readonly description: string;
  readonly lifetimeDays: number | null;
}

/** Name, description and default lifetime of each type. Users can set another lifetime. */
export const FEATURE_TYPE_DETAILS: Readonly<Record<FeatureType, TypeDetails>> = {
  release: { name: 'Release', description: 'Brings a new feature to users, then goes.', lifetimeDays: 40 },
  experiment: { name: 'Experiment', description: 'Compares several versions of a feature.', lifetimeDays: 40 },
  operational: { name: 'Operational', description: 'Controls how a change of the system behaves.', lifetimeDays: 7 },
  'kill-switch': { name: 'Kill switch', description: 'Takes parts of the system out of use.', lifetimeDays: null },
  permission: { name: 'Permission', description: 'Decides which features a user gets.', lifetimeDays: null },
  sunset: { name: 'Sunset', description: 'Takes an existing feature away.', lifetimeDays: 90 },
};

export function isFeatureType(text: string): text is FeatureType {
  return (FEATURE_TYPES as readonly string[]).includes(text);
}

/** Whether the flag has outlived the lifetime of its type, and is neither marked as stale nor archived. */
export function isPotentiallyStaleAt(
  { stale, archived, createdAt }: Pick<Feature, 'stale' | 'archived' | 'createdAt'>,
  lifetimeDays: number | null,
  nowMs: number,
): boolean {
  if (lifetimeDays === null || stale || archived) return false;
  return Date.parse(createdAt) + lifetimeDays * DAY_MS < nowMs;
}

export const featureTypes = collection({ schema: 1, key: (type: FeatureTypeLifetime) => type.id, past: 'whole' });

export const staleMarks = collection({ schema: 1, key: (mark: StaleMark) => mark.feature });

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly featureTypes: typeof featureTypes;
    readonly staleMarks: typeof staleMarks;
  }
}
