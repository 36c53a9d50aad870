import Type from 'typebox';
import { FEATURE_TYPES } from '../../model/feature.ts';
import { DateTime, Nullable, Text, UrlSafeName } from '../../model/primitives.ts';
import { Strategy } from '../../model/strategy.ts';
import { Variant } from '../../model/variant.ts';

export const ProjectParams = Type.Object({ projectId: Type.String() });
export const FeatureParams = Type.Object({ projectId: Type.String(), featureName: Type.String() });
export const FeatureEnvironmentParams = Type.Object({
  projectId: Type.String(),
  featureName: Type.String(),
  environment: Type.String(),
});

export const FeatureTypeSchema = Type.Enum([...FEATURE_TYPES]);

export const TagSchema = Type.Object({ value: Type.String({ minLength: 2, maxLength: 50 }), type: Type.String() });

export const DependencySchema = Type.Object({
  feature: Type.String(),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  variants: Type.Optional(
    Type.Array(Type.String(), { description: 'Valid only when the parent is expected to be enabled' }),
  ),
});

/** A strategy as the admin API answers it (contract: Feature strategy). */
export const FeatureStrategySchema = Type.Intersect([
  Strategy,
  Type.Object({ featureName: Type.Optional(Type.String()) }),
]);

/** Contract: Feature environment. */
export const FeatureEnvironmentSchema = Type.Object({
  name: Type.String(),
  featureName: Type.String(),
  environment: Type.String(),
  type: Type.String(),
  enabled: Type.Boolean(),
  sortOrder: Type.Number(),
  variantCount: Type.Number(),
  strategies: Type.Array(FeatureStrategySchema),
  variants: Type.Array(Variant),
  lastSeenAt: Nullable(DateTime),
  hasStrategies: Type.Boolean(),
  hasEnabledStrategies: Type.Boolean(),
});

/** Contract: Feature (featureSchema). */
export const FeatureSchema = Type.Object(
  {
    name: Type.String(),
    type: FeatureTypeSchema,
    description: Nullable(Type.String()),
    archived: Type.Boolean(),
    project: Type.String(),
    enabled: Type.Boolean({ description: 'On in at least one environment' }),
    stale: Type.Boolean(),
    favorite: Type.Boolean(),
    impressionData: Type.Boolean(),
    createdAt: Nullable(DateTime),
    createdBy: Type.Object({ id: Type.Integer(), name: Type.String(), imageUrl: Type.String() }),
    archivedAt: Nullable(DateTime),
    lastSeenAt: Nullable(DateTime),
    environments: Type.Array(FeatureEnvironmentSchema),
    variants: Type.Array(Variant, { description: 'Deprecated: variants belong to environments' }),
    strategies: Type.Array(Type.Unknown(), { description: 'Deprecated: strategies belong to environments' }),
    tags: Nullable(Type.Array(TagSchema)),
    children: Type.Array(Type.String(), { description: 'Names of the flags that depend on this one' }),
    dependencies: Type.Array(DependencySchema),
  },
  { $id: 'feature' },
);

export const FeaturesSchema = Type.Object(
  { version: Type.Integer(), features: Type.Array(FeatureSchema) },
  { $id: 'features' },
);

/** Flags that one request may change: each is decided, stored and served anew, and a hundred take about 10 ms. */
export const BATCH_MAX = 100;

export const BatchFeatures = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: BATCH_MAX });

export const BatchFeaturesBody = Type.Object({ features: BatchFeatures }, { $id: 'batchFeatures' });

export const CreateFeatureBody = Type.Object(
  {
    name: UrlSafeName,
    type: Type.Optional(FeatureTypeSchema),
    description: Type.Optional(Nullable(Text)),
    impressionData: Type.Optional(Type.Boolean()),
    tags: Type.Optional(Type.Array(TagSchema, { maxItems: 100 })),
  },
  { $id: 'createFeature' },
);

export const UpdateFeatureBody = Type.Object(
  {
    description: Type.Optional(Nullable(Text)),
    type: Type.Optional(FeatureTypeSchema),
    stale: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean({ description: 'true moves the flag to the archive' })),
    impressionData: Type.Optional(Type.Boolean()),
  },
  { $id: 'updateFeature' },
);

export const CloneFeatureBody = Type.Object(
  {
    name: UrlSafeName,
    replaceGroupId: Type.Optional(
      Type.Boolean({ default: true, description: 'Strategies become sticky by the name of the new flag' }),
    ),
  },
  { $id: 'cloneFeature' },
);
