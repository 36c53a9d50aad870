import Type from 'typebox';
import { MapOf, Nullable, SortOrder, UrlSafeName } from '../../model/primitives.ts';

const Count = Type.Optional(Nullable(Type.Integer({ minimum: 0 })));

const EnvironmentType = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'development, test, preproduction, production, or any text',
});

/** Contract: Environment (environmentSchema). */
export const EnvironmentSchema = Type.Object(
  {
    name: Type.String(),
    type: Type.String(),
    enabled: Type.Boolean(),
    protected: Type.Boolean({ description: 'A protected environment cannot be deleted' }),
    sortOrder: Type.Integer({ description: 'Lower appears higher in lists' }),
    projectCount: Count,
    apiTokenCount: Count,
    enabledToggleCount: Count,
  },
  { $id: 'environment' },
);

/** An environment as one project sees it. */
export const ProjectEnvironmentSchema = Type.Object(
  {
    name: Type.String(),
    type: Type.String(),
    enabled: Type.Boolean(),
    protected: Type.Boolean(),
    sortOrder: Type.Integer(),
    projectApiTokenCount: Type.Integer({ description: 'Tokens of the environment that reach the project' }),
    projectEnabledToggleCount: Type.Integer({ description: 'Flags of the project that are on in the environment' }),
    visible: Type.Boolean({ description: 'Whether flags of the project can be switched in the environment' }),
  },
  { $id: 'projectEnvironment' },
);

export const EnvironmentListSchema = Type.Object({
  version: Type.Integer(),
  environments: Type.Array(EnvironmentSchema),
});

export const ProjectEnvironmentListSchema = Type.Object({
  version: Type.Integer(),
  environments: Type.Array(ProjectEnvironmentSchema),
});

export const CreateEnvironmentBody = Type.Object(
  {
    name: UrlSafeName,
    type: EnvironmentType,
    enabled: Type.Optional(Type.Boolean({ default: true })),
    sortOrder: Type.Optional(SortOrder),
  },
  { $id: 'createEnvironment' },
);

export const UpdateEnvironmentBody = Type.Object(
  { type: Type.Optional(EnvironmentType), sortOrder: Type.Optional(SortOrder) },
  { $id: 'updateEnvironment' },
);

export const SortOrderBody = MapOf(SortOrder, {
  description: 'Name → position; environments that are not named stay where they are',
});
