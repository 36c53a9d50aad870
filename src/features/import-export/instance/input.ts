import Type, { type Static } from 'typebox';
import { ApiToken } from '../../../model/api-token.ts';
import { ContextField } from '../../../model/context-field.ts';
import { Environment } from '../../../model/environment.ts';
import { Feature, FeatureType, Tag } from '../../../model/feature.ts';
import { ENVIRONMENT_LIMITS } from '../../../model/limits/environments.ts';
import { PROJECT_LIMITS } from '../../../model/limits/projects.ts';
import { DateTime, MapOf, NAME_LENGTH_MAX, NameReference, Nullable } from '../../../model/primitives.ts';
import { Project } from '../../../model/project.ts';
import { Segment } from '../../../model/segment.ts';
import { StrategyInput } from '../../../model/strategy.ts';
import { StrategyType } from '../../../model/strategy-type.ts';
import { TOKEN_LENGTH_MAX } from '../../../model/token-secret.ts';
import { Variant } from '../../../model/variant.ts';
import { Addon } from '../../addons/addon.ts';
import { ADDON_LIMITS } from '../../addons/limits.ts';
import { FLAG_LIMITS } from '../../flags/limits.ts';
import { LinkFields } from '../../flags/links/commands.ts';
import { TagTypeFields } from '../../flags/tags/tag-types.ts';
import { LifetimeField } from '../../flags/types/commands.ts';
import { BannerFields } from '../../instance/banners/banners.ts';
import { Origins } from '../../instance/frontend-origins.ts';
import { ProjectSettings } from '../../projects/commands.ts';
import { writtenFields } from '../../shared/entity-fields.ts';

/**
 * Maximum number of items in one request, over all kinds. Each item causes an event, and all events of a commit are stored in one turn of the event
 * loop.
 */
export const IMPORTED_MAX = 500;

/** The largest 32-bit integer, because other services use 32-bit ids. A limit is needed: adding 1 to a very large number would not change it. */
const SEGMENT_ID_MAX = 2_147_483_647;

const Time = Nullable(DateTime);

const ImportedEnvironment = Type.Object({
  ...writtenFields(Environment, 'name', 'type'),
  enabled: Type.Boolean(),
  ...writtenFields(Environment, 'protected', 'sortOrder', 'requireReason?', 'fetchMode?'),
});

const { featureNaming, linkTemplates } = ProjectSettings;

const ImportedProject = Type.Object({
  ...writtenFields(Project, 'id', 'name', 'description', 'mode', 'defaultStickiness', 'featureLimit'),
  environments: Type.Array(NameReference, {
    maxItems: ENVIRONMENT_LIMITS.environments.max,
    description: 'All its environments',
  }),
  createdAt: Type.Optional(DateTime),
  archivedAt: Type.Optional(Time),
  featureNaming,
  linkTemplates,
});

const ImportedContextField = Type.Object({
  ...writtenFields(ContextField, 'name', 'description', 'stickiness', 'sortOrder', 'legalValues'),
  createdAt: Type.Optional(DateTime),
  project: Type.Optional(Nullable(NameReference)),
});

const ImportedSegment = Type.Object({
  id: Type.Integer({
    minimum: 1,
    maximum: SEGMENT_ID_MAX,
    description: 'The segment gets this id if no other segment has it',
  }),
  ...writtenFields(Segment, 'name', 'description'),
  project: Nullable(NameReference),
  constraints: Segment.properties.constraints,
  createdAt: Type.Optional(DateTime),
  createdBy: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
});

const { name, title, parameters, constraints, segments, variants } = StrategyInput.properties;

/** The fields of a strategy. `segments` contains the ids of the segments at the source. */
const strategyContent = { name, title, disabled: Type.Boolean(), parameters, constraints, segments, variants };

/** Whether strategies are as SDKs get them. */
const isServed = Type.Optional(
  Type.Boolean({
    description:
      'Whether the source serves it like this: missing parameters stay missing; otherwise they get default values',
  }),
);

const ImportedStrategy = Type.Required(
  Type.Object({
    id: Type.String({ maxLength: NAME_LENGTH_MAX, description: 'Empty: the strategy gets a new id' }),
    ...strategyContent,
  }),
);

const ImportedDefaultStrategy = Type.Object({
  project: NameReference,
  environment: NameReference,
  strategy: Type.Required(Type.Object(strategyContent)),
  isServed,
});

const ImportedFeatureEnvironment = Type.Object({
  environment: NameReference,
  enabled: Type.Boolean(),
  strategies: Type.Array(ImportedStrategy, { description: 'In the order of evaluation' }),
  variants: Type.Array(Variant),
  isServed,
});

const ImportedDependency = Type.Object({
  feature: NameReference,
  enabled: Type.Boolean(),
  variants: Type.Array(Type.String(), { maxItems: FLAG_LIMITS.dependencyVariants.max }),
});

/** A flag with everything that belongs to it. If a field is left out, an existing flag keeps its value, and a new flag gets the default. */
export const ImportedFeature = Type.Object({
  ...writtenFields(Feature, 'name', 'project', 'type?', 'description?', 'stale?', 'impressionData?', 'createdAt?'),
  archivedAt: Type.Optional(Time),
  createdBy: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
  environments: Type.Array(ImportedFeatureEnvironment, { maxItems: ENVIRONMENT_LIMITS.environments.max }),
  keepsOthers: Type.Optional(
    Type.Boolean({
      description:
        'Whether the flag keeps its configuration in environments that are not listed; otherwise it is removed',
    }),
  ),
  tags: Type.Optional(Type.Array(Tag)),
  dependencies: Type.Optional(Type.Array(ImportedDependency, { maxItems: FLAG_LIMITS.featureDependencies.max })),
  links: Type.Optional(
    Type.Array(Type.Object({ id: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX })), ...LinkFields }), {
      maxItems: FLAG_LIMITS.featureLinks.max,
    }),
  ),
});
export type ImportedFeature = Static<typeof ImportedFeature>;

const ImportedApiToken = Type.Object({
  secret: Type.String({ minLength: 1, maxLength: TOKEN_LENGTH_MAX, description: 'The whole text of the token' }),
  ...writtenFields(ApiToken, 'tokenName', 'type'),
  isBackend: Type.Optional(Type.Boolean({ description: 'For a client token: the API returns its type as `backend`' })),
  environment: NameReference,
  projects: Type.Array(NameReference, { minItems: 1, maxItems: PROJECT_LIMITS.projects.max }),
  createdAt: Type.Optional(DateTime),
  expiresAt: Time,
  alias: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
});

const ImportedBanner = Type.Object({ ...BannerFields, createdAt: Type.Optional(DateTime) });

const userField = (description: string) => Type.Optional(Nullable(Type.String({ maxLength: 255, description })));

/** An integration. It is imported switched off: the source does not show its secrets. */
const ImportedAddon = Type.Object({
  ...writtenFields(Addon, 'provider', 'description', 'events', 'projects', 'environments'),
  parameters: MapOf(Type.String({ maxLength: ADDON_LIMITS.addonParameterLength.max }), {
    description: 'Values of its parameters. Those that are secrets here are left out',
  }),
});

/** A favorite of the user of this instance who has the email or, if there is no such user, the username. */
const ImportedFavorite = Type.Object({
  email: userField('Email of the user'),
  username: userField('Username of the user'),
  kind: Type.Enum(['feature', 'project'], { description: 'Whether it is a flag or a project' }),
  name: Type.String({
    minLength: 1,
    maxLength: NAME_LENGTH_MAX,
    description: 'Name of the flag, or id of the project',
  }),
  createdAt: Type.Optional(DateTime),
});

/** The fields of a strategy type, without `editable`, which depends only on the name. */
const { editable: _editable, name: typeName, deprecated, ...typeFields } = StrategyType.properties;
const ImportedStrategyType = Type.Object({ name: typeName, deprecated, ...typeFields });

const listOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Optional(Type.Array(item, { maxItems: IMPORTED_MAX }));

/**
 * The content of another instance, or a part of it. The kinds are imported in this order. If an item refers to another item, that item must exist in
 * this instance or come before it.
 */
export const InstanceImportInput = Type.Object(
  {
    environments: listOf(ImportedEnvironment),
    projects: listOf(ImportedProject),
    contextFields: listOf(ImportedContextField),
    tagTypes: listOf(Type.Object(TagTypeFields)),
    tags: listOf(Tag),
    strategyTypes: listOf(ImportedStrategyType),
    segments: listOf(ImportedSegment),
    segmentNames: listOf(
      Type.Object(
        { id: Type.Integer({ minimum: 1 }), ...writtenFields(Segment, 'name') },
        { description: 'Names of the segments that strategies use, with their ids in the source' },
      ),
    ),
    defaultStrategies: listOf(ImportedDefaultStrategy),
    features: listOf(ImportedFeature),
    apiTokens: listOf(ImportedApiToken),
    featureTypes: listOf(Type.Object({ id: FeatureType, ...LifetimeField })),
    frontendOrigins: Type.Optional(Type.Array(Type.Object({ origins: Origins }), { maxItems: 1 })),
    banners: listOf(ImportedBanner),
    addons: listOf(ImportedAddon),
    favorites: listOf(ImportedFavorite),
  },
  { $id: 'takeOver' },
);
export type InstanceImportInput = Static<typeof InstanceImportInput>;

/** The kinds of items that are imported. */
export type ImportedKind = Exclude<keyof InstanceImportInput, 'segmentNames'>;
export type Imported<K extends ImportedKind> = NonNullable<InstanceImportInput[K]>[number];

const KINDS = Object.keys(InstanceImportInput.properties).filter((name) => name !== 'segmentNames') as ImportedKind[];

/** The number of items in the input. Unknown members are ignored. */
export function itemCount(input: InstanceImportInput): number {
  return KINDS.reduce((sum, kind) => sum + (input[kind]?.length ?? 0), 0);
}

/** The result for one item that was created, changed or refused. */
export interface ItemResult {
  readonly kind: ImportedKind;
  /** The name of the item, for people. For a token, never its secret. */
  readonly name: string;
  readonly outcome: 'created' | 'changed' | 'refused';
  /** The names of the changed properties. */
  readonly changed?: readonly string[];
  /** The rule that a refused item breaks. */
  readonly reason?: string;
}
