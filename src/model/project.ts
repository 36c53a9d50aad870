import Type from 'typebox';
import { collection } from './collection.ts';
import type { EntityOf } from './entity.ts';
import { MODEL_LIMITS } from './limits.ts';
import { DateTime, NAME_LENGTH_MAX, Nullable, ScopeName, Text } from './primitives.ts';

/** People cannot read longer patterns. */
const PATTERN_LENGTH_MAX = 500;

const text = (maxLength: number, description: string) => Nullable(Type.String({ maxLength, description }));

/** Rule for the names of new flags. */
export const FeatureNaming = Type.Object({
  pattern: text(
    PATTERN_LENGTH_MAX,
    'An RE2 expression that the whole name of a new flag has to match; null or empty: any name is allowed',
  ),
  example: text(NAME_LENGTH_MAX, 'A name that matches the pattern, for people'),
  description: text(MODEL_LIMITS.textLength.max, 'What the pattern is about, for people'),
});
export type FeatureNaming = EntityOf<typeof FeatureNaming>;

const LINK_TITLE = 'What people read';
const LINK_TEMPLATE = 'With the placeholders `{{project}}` and `{{feature}}` for their names';

/** A link that each new flag of a project gets. */
export const LinkTemplate = Type.Object({
  title: Nullable(
    Type.String({ maxLength: MODEL_LIMITS.titleLength.max, description: LINK_TITLE, answer: LINK_TITLE }),
  ),
  urlTemplate: Type.String({
    minLength: 1,
    maxLength: 1_000,
    pattern: '^https?://',
    description: LINK_TEMPLATE,
    answer: LINK_TEMPLATE,
  }),
});
export type LinkTemplate = EntityOf<typeof LinkTemplate>;

/** A project. Collection `projects`, key: the id. */
export const Project = Type.Object({
  id: ScopeName,
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }),
  description: Nullable(Text),
  mode: Type.Enum(['open', 'protected', 'private']),
  defaultStickiness: Type.String({ minLength: 1, maxLength: 100 }),
  featureLimit: Nullable(Type.Integer({ minimum: 0 })),
  /** Names of the environments in which its flags can be switched; the order has no meaning. */
  environments: Type.Array(Type.String()),
  createdAt: DateTime,
  updatedAt: DateTime,
  archivedAt: Nullable(DateTime),
});
export interface Project extends EntityOf<typeof Project> {
  /** Missing if any name is allowed. */
  readonly featureNaming?: FeatureNaming;
  readonly linkTemplates?: readonly LinkTemplate[];
}

export const DEFAULT_PROJECT = 'default';

export const projects = collection({
  schema: 1,
  key: (project: Project) => project.id,
  past: 'whole',
  indexes: { projectsByEnvironment: ({ environments }) => environments },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly projects: typeof projects;
  }
}
