import Type from 'typebox';
import { DateTime, Nullable, Text, UrlSafeName } from '../../model/primitives.ts';

const ProjectMode = Type.Enum(['open', 'protected', 'private']);

const ProjectName = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' });

const FeatureLimit = Nullable(
  Type.Integer({ minimum: 0, description: 'Flags the project may have; null: any number' }),
);

const settings = {
  description: Type.Optional(Nullable(Text)),
  mode: Type.Optional(ProjectMode),
  defaultStickiness: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  featureLimit: Type.Optional(FeatureLimit),
};

export const CreateProjectBody = Type.Object(
  {
    id: Type.Optional(UrlSafeName),
    name: ProjectName,
    ...settings,
    environments: Type.Optional(
      Type.Array(Type.String(), { maxItems: 1000, description: 'Left out: every environment that is on' }),
    ),
  },
  { $id: 'createProject' },
);

export const UpdateProjectBody = Type.Object(
  { name: Type.Optional(ProjectName), ...settings },
  { $id: 'updateProject' },
);

export const ValidateProjectBody = Type.Object({ id: UrlSafeName }, { $id: 'validateProject' });

const fields = {
  id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  mode: ProjectMode,
  defaultStickiness: Type.String(),
  featureLimit: FeatureLimit,
};

/** What creating a project answers. */
export const ProjectCreatedSchema = Type.Object(
  { ...fields, environments: Type.Array(Type.String()) },
  { $id: 'projectCreated' },
);

/** A project in lists. */
export const ProjectSchema = Type.Object(
  {
    ...fields,
    featureCount: Type.Integer({ description: 'Flags, archived ones left out' }),
    archivedFeatureCount: Type.Integer(),
    memberCount: Type.Integer(),
    favorite: Type.Boolean(),
    createdAt: DateTime,
    updatedAt: Nullable(DateTime),
    archivedAt: Nullable(DateTime),
  },
  { $id: 'project' },
);

export const ProjectListSchema = Type.Object({ version: Type.Integer(), projects: Type.Array(ProjectSchema) });

/** One project with figures about its flags. */
export const ProjectOverviewSchema = Type.Object(
  {
    version: Type.Integer(),
    ...fields,
    environments: Type.Array(Type.Object({ environment: Type.String() })),
    featureTypeCounts: Type.Array(Type.Object({ type: Type.String(), count: Type.Integer() })),
    health: Type.Integer({ minimum: 0, maximum: 100, description: 'Percentage of flags that are not stale' }),
    members: Type.Integer(),
    favorite: Type.Boolean(),
    createdAt: DateTime,
    updatedAt: Nullable(DateTime),
    archivedAt: Nullable(DateTime),
  },
  { $id: 'projectOverview' },
);

export const ProjectEnvironmentBody = Type.Object(
  { environment: Type.String({ minLength: 1, maxLength: 100 }) },
  { $id: 'projectEnvironmentName' },
);
