import Type, { type Static } from 'typebox';
import { API_TOKEN_TYPES } from '../../../model/api-token.ts';
import { FEATURE_TYPES } from '../../../model/feature.ts';
import {
  DateTime,
  NAME_LENGTH_MAX,
  NameReference,
  Nullable,
  ScopeName,
  SortOrder,
  Text,
  UrlSafeName,
} from '../../../model/primitives.ts';
import { Segment } from '../../../model/segment.ts';
import { StrategyInput } from '../../../model/strategy.ts';
import { StrategyType } from '../../../model/strategy-type.ts';
import { TOKEN_LENGTH_MAX } from '../../../model/token-secret.ts';
import { Variant } from '../../../model/variant.ts';
import { ContextField } from '../../context-fields/context-field.ts';
import { EnvironmentType } from '../../environments/commands.ts';
import { ENVIRONMENT_LIMITS } from '../../environments/limits.ts';
import { FLAG_LIMITS } from '../../flags/limits.ts';
import { LinkFields } from '../../flags/links/commands.ts';
import { TagFields } from '../../flags/tags/commands.ts';
import { tagTypes } from '../../flags/tags/tag-types.ts';
import { LifetimeDays } from '../../flags/types/commands.ts';
import { banners } from '../../instance/banners/banners.ts';
import { Origins } from '../../instance/frontend-origins.ts';
import { ProjectMode, ProjectName, ProjectSettings } from '../../projects/commands.ts';
import { PROJECT_LIMITS } from '../../projects/limits.ts';
import { writtenFields } from '../../shared/resource-schemas.ts';
import { TokenName } from '../../tokens/commands.ts';

/** Things that one request brings, of all kinds together: each is an event, and all events of a commit are stored in one turn of the loop. */
export const TAKEN_MAX = 500;

/** What other services count in. Far beyond it, one more would be the same number. */
const SEGMENT_ID_MAX = 2_147_483_647;

const Time = Nullable(DateTime);

const TakenEnvironment = Type.Object({
  name: ScopeName,
  type: EnvironmentType,
  enabled: Type.Boolean(),
  protected: Type.Boolean(),
  sortOrder: SortOrder,
});

const { featureNaming, linkTemplates } = ProjectSettings;

const TakenProject = Type.Object({
  id: ScopeName,
  name: ProjectName,
  description: Nullable(Text),
  mode: ProjectMode,
  defaultStickiness: Type.String({ minLength: 1, maxLength: 100 }),
  featureLimit: Nullable(Type.Integer({ minimum: 0 })),
  environments: Type.Array(NameReference, {
    maxItems: ENVIRONMENT_LIMITS.environments.max,
    description: 'All that it has',
  }),
  createdAt: Type.Optional(DateTime),
  archivedAt: Type.Optional(Time),
  featureNaming,
  linkTemplates,
});

const TakenContextField = Type.Object({
  name: UrlSafeName,
  ...writtenFields(ContextField, 'description', 'stickiness', 'sortOrder', 'legalValues'),
  createdAt: Type.Optional(DateTime),
  project: Type.Optional(Nullable(NameReference)),
});

const TakenSegment = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: SEGMENT_ID_MAX, description: 'Kept where it is free' }),
  ...writtenFields(Segment, 'name', 'description'),
  project: Nullable(NameReference),
  constraints: Segment.properties.constraints,
  createdAt: Type.Optional(DateTime),
  createdBy: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
});

const { name, title, parameters, constraints, segments, variants } = StrategyInput.properties;

/** What a strategy does; segments by their ids where they come from. */
const strategyContent = { name, title, disabled: Type.Boolean(), parameters, constraints, segments, variants };

const TakenStrategy = Type.Required(
  Type.Object({
    id: Type.String({ maxLength: NAME_LENGTH_MAX, description: 'Kept; empty: a new one' }),
    ...strategyContent,
  }),
);

const TakenDefaultStrategy = Type.Object({
  project: NameReference,
  environment: NameReference,
  strategy: Type.Required(Type.Object(strategyContent)),
});

const TakenFeatureEnvironment = Type.Object({
  environment: NameReference,
  enabled: Type.Boolean(),
  strategies: Type.Array(TakenStrategy, { description: 'In the order in which they are asked' }),
  variants: Type.Array(Variant),
});

const TakenDependency = Type.Object({
  feature: NameReference,
  enabled: Type.Boolean(),
  variants: Type.Array(Type.String(), { maxItems: FLAG_LIMITS.dependencyVariants.max }),
});

/** A flag with everything that belongs to it. What is not told of it stays as it is here; of a flag that is not here it is what new flags have. */
export const TakenFeature = Type.Object({
  name: UrlSafeName,
  project: NameReference,
  type: Type.Optional(Type.Enum([...FEATURE_TYPES])),
  description: Type.Optional(Nullable(Text)),
  stale: Type.Optional(Type.Boolean()),
  impressionData: Type.Optional(Type.Boolean()),
  createdAt: Type.Optional(DateTime),
  archivedAt: Type.Optional(Time),
  createdBy: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
  environments: Type.Array(TakenFeatureEnvironment, { maxItems: ENVIRONMENT_LIMITS.environments.max }),
  keepsOthers: Type.Optional(
    Type.Boolean({ description: 'What it does in environments that are not told of stays; else it goes' }),
  ),
  tags: Type.Optional(Type.Array(Type.Object(TagFields))),
  dependencies: Type.Optional(Type.Array(TakenDependency, { maxItems: FLAG_LIMITS.featureDependencies.max })),
  links: Type.Optional(
    Type.Array(Type.Object({ id: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX })), ...LinkFields }), {
      maxItems: FLAG_LIMITS.featureLinks.max,
    }),
  ),
});
export type TakenFeature = Static<typeof TakenFeature>;

const TakenApiToken = Type.Object({
  secret: Type.String({ minLength: 1, maxLength: TOKEN_LENGTH_MAX, description: 'The whole text of the token' }),
  tokenName: TokenName,
  type: Type.Enum([...API_TOKEN_TYPES]),
  isBackend: Type.Optional(Type.Boolean({ description: 'Of a client token: it is told as `backend`' })),
  environment: NameReference,
  projects: Type.Array(NameReference, { minItems: 1, maxItems: PROJECT_LIMITS.projects.max }),
  createdAt: Type.Optional(DateTime),
  expiresAt: Time,
  alias: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
});

const TakenBanner = Type.Object({ ...banners.newFields, createdAt: Type.Optional(DateTime) });

const who = (description: string) => Type.Optional(Nullable(Type.String({ maxLength: 255, description })));

/** Whose it is: who has the email here, else who has the username. */
const TakenFavorite = Type.Object({
  email: who('Whose it is, by their email'),
  username: who('Whose it is, by their username'),
  kind: Type.Enum(['feature', 'project'], { description: 'What is marked' }),
  name: Type.String({
    minLength: 1,
    maxLength: NAME_LENGTH_MAX,
    description: 'Name of the flag, or id of the project',
  }),
  createdAt: Type.Optional(DateTime),
});

/** Whether one may be edited follows from its name. */
const { editable: _editable, name: typeName, deprecated, ...typeFields } = StrategyType.properties;
const TakenStrategyType = Type.Object({ name: typeName, deprecated, ...typeFields });

const listOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Optional(Type.Array(item, { maxItems: TAKEN_MAX }));

/** What another instance holds, or a part of it, as it is to be here. Read in this order; what each refers to is here, or before it. */
export const TakeOverInput = Type.Object(
  {
    environments: listOf(TakenEnvironment),
    projects: listOf(TakenProject),
    contextFields: listOf(TakenContextField),
    tagTypes: listOf(Type.Object(tagTypes.newFields)),
    tags: listOf(Type.Object(TagFields)),
    strategyTypes: listOf(TakenStrategyType),
    segments: listOf(TakenSegment),
    segmentNames: listOf(
      Type.Object(
        { id: Type.Integer({ minimum: 1 }), ...writtenFields(Segment, 'name') },
        { description: 'What segments that strategies name are called where they come from' },
      ),
    ),
    defaultStrategies: listOf(TakenDefaultStrategy),
    features: listOf(TakenFeature),
    apiTokens: listOf(TakenApiToken),
    featureTypes: listOf(Type.Object({ id: Type.Enum([...FEATURE_TYPES]), lifetimeDays: LifetimeDays })),
    frontendOrigins: Type.Optional(Type.Array(Type.Object({ origins: Origins }), { maxItems: 1 })),
    banners: listOf(TakenBanner),
    favorites: listOf(TakenFavorite),
  },
  { $id: 'takeOver' },
);
export type TakeOverInput = Static<typeof TakeOverInput>;

/** Kinds of things that are taken over. */
export type TakenKind = Exclude<keyof TakeOverInput, 'segmentNames'>;
export type Taken<K extends TakenKind> = NonNullable<TakeOverInput[K]>[number];

const KINDS = Object.keys(TakeOverInput.properties).filter((name) => name !== 'segmentNames') as TakenKind[];

/** How many things it tells of. Members that it does not know may be anything. */
export function thingsIn(input: TakeOverInput): number {
  return KINDS.reduce((sum, kind) => sum + (input[kind]?.length ?? 0), 0);
}

/** What became of one thing that is not as it was: `changed` names what. */
export interface TakenOver {
  readonly kind: TakenKind;
  /** As people name it; of a token never its secret. */
  readonly name: string;
  readonly outcome: 'created' | 'changed' | 'refused';
  readonly changed?: readonly string[];
  readonly reason?: string;
}
