import Type from 'typebox';
import { FeatureLimit, NewProjectFields, ProjectChanges, ProjectMode } from '../../commands/project.ts';
import { DateTime, Nullable, UrlSafeName } from '../../model/primitives.ts';

export const CreateProjectBody = Type.Object(NewProjectFields, { $id: 'createProject' });

export const UpdateProjectBody = Type.Object(ProjectChanges, { $id: 'updateProject' });

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
