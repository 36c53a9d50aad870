import Type from 'typebox';
import { Feature, Tag } from '../../model/feature.ts';
import { DateTime, Nullable, UrlSafeName } from '../../model/primitives.ts';
import { Strategy } from '../../model/strategy.ts';
import { Variant } from '../../model/variant.ts';
import { answeredFields } from '../shared/entity-fields.ts';
import { LifecycleSchema } from '../usage/lifecycle-schema.ts';
import { FeatureChanges, NewFeatureFields } from './commands.ts';
import { FLAG_LIMITS } from './limits.ts';
import { CursorParameter, fieldsParameter, LARGE_PAGE_MAX, NextCursor, projected } from './page-parameters.ts';
import { PlanSchema } from './plans/schemas.ts';
import { RULE_MEASURES } from './rule-measures.ts';

const DependencySchema = Type.Object({
  feature: Type.String(),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  variants: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Variants of the parent, one of which must be selected; empty: any. Only valid if `enabled` is true',
    }),
  ),
});

/** A tag as the admin API returns it, with the colour of its type. */
export const TagSchema = Type.Object({ ...Tag.properties, color: Nullable(Type.String()) }, { $id: 'tag' });

export const LinkSchema = Type.Object({ id: Type.String(), url: Type.String(), title: Nullable(Type.String()) });

/** A strategy as the admin API returns it (contract: Feature strategy). */
export const FeatureStrategySchema = Type.Intersect([
  Strategy,
  Type.Object({
    featureName: Type.Optional(Type.String()),
    milestoneId: Type.Optional(
      Type.String({ description: 'Id of the milestone of a release plan that the strategy belongs to' }),
    ),
  }),
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
  releasePlans: Type.Array(PlanSchema, {
    description: 'The release plan of the flag in the environment, if it has one',
  }),
  lastSeenAt: Nullable(DateTime),
  yes: Type.Integer({
    minimum: 0,
    description: 'How often SDKs found the flag on, in the current hour and the hour before',
  }),
  no: Type.Integer({
    minimum: 0,
    description: 'How often SDKs found the flag off, in the current hour and the hour before',
  }),
  hasStrategies: Type.Boolean(),
  hasEnabledStrategies: Type.Boolean(),
});

const measure = (description: string) =>
  Type.Object(
    {
      value: Type.Number({ description: 'The current value' }),
      limit: Type.Number({ description: 'The maximum value' }),
    },
    { description },
  );

const MEASURES = {
  measures: Type.Optional(
    Type.Object(
      {
        evaluationCost: measure(RULE_MEASURES.evaluationCost),
        expressionCost: measure(RULE_MEASURES.expressionCost),
        featureBytes: measure(RULE_MEASURES.featureBytes),
        storedFeatureBytes: measure(RULE_MEASURES.storedFeatureBytes),
      },
      { description: 'What the rules of the flag in the environment cost and weigh, beside the limits' },
    ),
  ),
};

/** The environment of one flag, with what its rules cost and weigh. */
export const OneFeatureEnvironmentSchema = Type.Object({ ...FeatureEnvironmentSchema.properties, ...MEASURES });

/** A strategy after a write, with what the rules of its flag then cost and weigh. */
export const WrittenStrategySchema = Type.Intersect([FeatureStrategySchema, Type.Object(MEASURES)]);

const CollaboratorsSchema = Type.Object(
  {
    users: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String({ description: 'Name of the user; `unknown` if the user was deleted' }),
        imageUrl: Type.String(),
      }),
    ),
  },
  { description: 'Users who changed the flag, the most recent one first. Only in answers about one flag' },
);

/** The fields of a flag in lists. */
const ListedFields = {
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
  children: Type.Array(Type.String(), { description: 'Names of the flags that depend on this flag' }),
  dependencies: Type.Array(DependencySchema),
  links: Type.Array(LinkSchema),
};
export type ListedField = keyof typeof ListedFields;

/** Contract: Feature (featureSchema). */
export const FeatureSchema = Type.Object(
  { ...ListedFields, collaborators: Type.Optional(CollaboratorsSchema) },
  { $id: 'feature' },
);

export const FeaturesSchema = Type.Object(
  { version: Type.Integer(), features: Type.Array(FeatureSchema) },
  { $id: 'features' },
);

/** The flags of a project: all of them, or a page; with all fields, or with the fields that the query names. */
export const FeaturePageSchema = Type.Object(
  { version: Type.Integer(), features: Type.Array(projected(ListedFields)), cursor: NextCursor },
  { $id: 'featurePage' },
);

/** The parameters of a page of flags. */
export const PageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LARGE_PAGE_MAX,
      description: `Number of flags on a page, in the order of their names. Without \`limit\` and \`cursor\`: all flags. With \`cursor\` alone: ${LARGE_PAGE_MAX}`,
    }),
  ),
  cursor: CursorParameter,
  fields: fieldsParameter(Object.keys(ListedFields)),
};

/** Maximum number of flags that one request may change. Each flag must be decided, stored and served again; a hundred flags take about 10 ms. */
export const BATCH_MAX = FLAG_LIMITS.batch.max;

export const BatchFeatures = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: BATCH_MAX });

export const BatchFeaturesBody = Type.Object({ features: BatchFeatures }, { $id: 'batchFeatures' });

export const CreateFeatureBody = Type.Object(NewFeatureFields, { $id: 'createFeature' });

export const UpdateFeatureBody = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'Must be the name in the path, because a name cannot change' })),
    ...FeatureChanges,
  },
  { $id: 'updateFeature' },
);

export const CloneFeatureBody = Type.Object(
  {
    name: UrlSafeName,
    replaceGroupId: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Strategies that have a `groupId` get the name of the new flag as `groupId`',
      }),
    ),
  },
  { $id: 'cloneFeature' },
);
