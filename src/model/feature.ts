import Type from 'typebox';
import type { EntityOf } from './entity.ts';
import { MODEL_LIMITS } from './limits.ts';
import { type Author, DateTime, NameReference, Nullable, Text, UrlSafeName } from './primitives.ts';
import type { ReleasePlan } from './release-plan.ts';
import type { Safeguard } from './safeguard.ts';
import type { Strategy } from './strategy.ts';
import type { Variant } from './variant.ts';

export const FEATURE_TYPES = ['experiment', 'kill-switch', 'release', 'operational', 'permission', 'sunset'] as const;
export const FeatureType = Type.Enum([...FEATURE_TYPES]);
export type FeatureType = (typeof FEATURE_TYPES)[number];

/** A flag's configuration in one environment. A flag without an entry for an environment is off there, with no strategies. */
export interface FeatureEnvironment {
  readonly environment: string;
  readonly enabled: boolean;
  readonly strategies: readonly Strategy[];
  readonly variants: readonly Variant[];
  /** When the flag was first switched on in the environment. Missing if that never happened, or happened before Burgee recorded it. */
  readonly firstEnabledAt?: string;
  /** Missing if the flag is not released by a plan in the environment. */
  readonly releasePlan?: ReleasePlan;
  /** What switches the flag off in the environment by itself, beside the safeguards of its plan. Missing if there is nothing. */
  readonly safeguards?: readonly Safeguard[];
  /** When the flag was last switched on while it had `safeguards`. They use no samples from before it. */
  readonly guardedFrom?: string;
}

/** A tag of a flag. `type` is the name of a tag type. */
export const Tag = Type.Object({ value: Type.String({ minLength: 2, maxLength: 50 }), type: Type.String() });
export type Tag = EntityOf<typeof Tag>;

/** The state of a parent that the child requires: `enabled` false means "off"; empty `variants` means any variant. */
export interface FeatureDependency {
  readonly feature: string;
  readonly enabled: boolean;
  readonly variants: readonly string[];
}

/** A link to more information about a flag: a ticket, a page. The id is unique within the flag. */
export interface FeatureLink {
  readonly id: string;
  /** http or https. */
  readonly url: string;
  readonly title: string | null;
}

/** Maximum number of collaborators that a flag stores. */
export const COLLABORATORS_MAX = 20;

export const MANIFEST_TYPES = ['boolean', 'string', 'integer', 'float', 'object'] as const;

/** The type and the default value that code declares for a flag (docs/reach/openfeature-cli.md). */
export const ManifestEntry = Type.Object({
  type: Type.Enum([...MANIFEST_TYPES]),
  /** JSON text. */
  defaultValue: Type.String({ maxLength: MODEL_LIMITS.payloadLength.max }),
});
export type ManifestEntry = EntityOf<typeof ManifestEntry>;

/**
 * A flag with everything it owns, as stored. Collection `features`, key: the name, unique over all projects and over archived flags.
 * `environments` and `tags` are arrays, not maps: names such as `__proto__` are legal and must stay plain data.
 */
export const Feature = Type.Object({
  name: UrlSafeName,
  project: NameReference,
  type: FeatureType,
  description: Nullable(Text),
  stale: Type.Boolean(),
  archived: Type.Boolean({ description: 'true moves the flag to the archive' }),
  archivedAt: Nullable(DateTime),
  impressionData: Type.Boolean(),
  createdAt: DateTime,
});
export interface Feature extends EntityOf<typeof Feature> {
  readonly createdBy: Author;
  readonly tags: readonly Tag[];
  readonly dependencies: readonly FeatureDependency[];
  readonly environments: readonly FeatureEnvironment[];
  /** Missing if the flag has no links. */
  readonly links?: readonly FeatureLink[];
  /** Missing if no code has declared the flag. */
  readonly manifest?: ManifestEntry;
  /** Ids of the users who changed it, the latest first; at most `COLLABORATORS_MAX`. Missing if the list is empty. */
  readonly collaborators?: readonly number[];
  /** RFC 3339: the time of the last commit that changed the flag. Missing if that was before Burgee recorded it, and for mirrored flags. */
  readonly changedAt?: string;
  /** A source reports the flag (`products/mirror/mirror.ts`): it exists only in the environments that it has an entry for. */
  readonly isMirrored?: true;
}

/** The flag with this user as the latest collaborator. Returns the same object if the user already is the latest collaborator. */
export function withCollaborator(feature: Feature, userId: number): Feature {
  const known = feature.collaborators ?? [];
  if (known[0] === userId) return feature;
  const collaborators = [userId, ...known.filter((id) => id !== userId)].slice(0, COLLABORATORS_MAX);
  return { ...feature, collaborators };
}

/** A tag as one text, in the format that callers use: names of tag types contain no colon. */
export function tagText({ type, value }: Tag): string {
  return `${type}:${value}`;
}

/** The flag's configuration in `environment`. If the flag has no entry for it, the configuration is off, without strategies. */
export function featureEnvironment(feature: Feature, environment: string): FeatureEnvironment {
  for (const entry of feature.environments) if (entry.environment === environment) return entry;
  return { environment, enabled: false, strategies: [], variants: [] };
}
