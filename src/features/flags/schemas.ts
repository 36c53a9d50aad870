import Type from 'typebox';
import { Feature, Tag } from '../../model/feature.ts';
import { DateTime, Nullable, UrlSafeName } from '../../model/primitives.ts';
import { Strategy } from '../../model/strategy.ts';
import { Variant } from '../../model/variant.ts';
import { answeredFields } from '../shared/resource-schemas.ts';
import { LIFECYCLE_STAGES } from '../usage/lifecycle.ts';
import { FeatureChanges, NewFeatureFields } from './commands.ts';
import { FLAG_LIMITS } from './limits.ts';

/** Contract: Feature, `lifecycle`. */
export const LifecycleSchema = Type.Object(
  {
    stage: Type.Enum([...LIFECYCLE_STAGES], { description: 'Where the flag is in its life' }),
    enteredStageAt: Type.String({ ...DateTime, description: 'Since when' }),
    status: Type.Optional(
      Type.String({ description: 'Only for a completed flag: whether its code was `kept` or `discarded`' }),
    ),
  },
  { description: 'Where the flag is in its life' },
);

const DependencySchema = Type.Object({
  feature: Type.String(),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  variants: Type.Optional(
    Type.Array(Type.String(), { description: 'Valid only when the parent is expected to be enabled' }),
  ),
});

/** A tag as the admin API returns it, with the colour of its type. */
export const TagSchema = Type.Object({ ...Tag.properties, color: Nullable(Type.String()) }, { $id: 'tag' });

export const LinkSchema = Type.Object({ id: Type.String(), url: Type.String(), title: Nullable(Type.String()) });

/** A strategy as the admin API returns it (contract: Feature strategy). */
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
  yes: Type.Integer({ minimum: 0, description: 'How often SDKs found it on, in this hour and the one before it' }),
  no: Type.Integer({ minimum: 0, description: 'How often they found it off' }),
  hasStrategies: Type.Boolean(),
  hasEnabledStrategies: Type.Boolean(),
});

const CollaboratorsSchema = Type.Object(
  {
    users: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String({ description: '`unknown` when there is no such user any more' }),
        imageUrl: Type.String(),
      }),
    ),
  },
  { description: 'Users who changed the flag, the most recent one first. Only in answers about one flag' },
);

/** Contract: Feature (featureSchema). */
export const FeatureSchema = Type.Object(
  {
    ...answeredFields(Feature, 'name', 'type', 'description', 'archived', 'project'),
    enabled: Type.Boolean({ description: 'On in at least one environment' }),
    ...answeredFields(Feature, 'stale'),
    favorite: Type.Boolean(),
    ...answeredFields(Feature, 'impressionData'),
    createdAt: Nullable(DateTime),
    createdBy: Type.Object({ id: Type.Integer(), name: Type.String(), imageUrl: Type.String() }),
    archivedAt: Nullable(DateTime),
    lastSeenAt: Nullable(DateTime),
    lifecycle: LifecycleSchema,
    environments: Type.Array(FeatureEnvironmentSchema),
    variants: Type.Array(Variant, { description: 'Deprecated: variants belong to environments' }),
    strategies: Type.Array(Type.Unknown(), { description: 'Deprecated: strategies belong to environments' }),
    tags: Nullable(Type.Array(TagSchema)),
    children: Type.Array(Type.String(), { description: 'Names of the flags that depend on this one' }),
    dependencies: Type.Array(DependencySchema),
    links: Type.Array(LinkSchema),
    collaborators: Type.Optional(CollaboratorsSchema),
  },
  { $id: 'feature' },
);

export const FeaturesSchema = Type.Object(
  { version: Type.Integer(), features: Type.Array(FeatureSchema) },
  { $id: 'features' },
);

/** Maximum number of flags that one request may change. Each of them is decided, stored and served again; a hundred flags take about 10 ms. */
export const BATCH_MAX = FLAG_LIMITS.batch.max;

export const BatchFeatures = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: BATCH_MAX });

export const BatchFeaturesBody = Type.Object({ features: BatchFeatures }, { $id: 'batchFeatures' });

export const CreateFeatureBody = Type.Object(NewFeatureFields, { $id: 'createFeature' });

export const UpdateFeatureBody = Type.Object(
  { name: Type.Optional(Type.String({ description: 'As in the path: a name cannot change' })), ...FeatureChanges },
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
