import Type from 'typebox';
import { DateTime, Nullable, ScopeName } from '../../model/primitives.ts';
import { FeatureNaming, LinkTemplate, Project } from '../../model/project.ts';
import { DefaultStrategySchema } from '../environments/schemas.ts';
import { answeredFields } from '../shared/entity-fields.ts';
import { NewProjectFields, ProjectChanges, ProjectSettings } from './commands.ts';
import { OnboardingStatusSchema } from './onboarding.ts';
import { OwnersSchema } from './owners.ts';
import { FeatureTypeCountsSchema, Health, ProjectStatsSchema, TechnicalDebt } from './stats-schemas.ts';

export const CreateProjectBody = Type.Object(NewProjectFields, { $id: 'createProject' });

export const UpdateProjectSettingsBody = Type.Object(ProjectSettings, { $id: 'updateProjectEnterpriseSettings' });

export const UpdateProjectBody = Type.Object(ProjectChanges, { $id: 'updateProject' });

export const ValidateProjectBody = Type.Object({ id: ScopeName }, { $id: 'validateProject' });

const fields = {
  ...answeredFields(Project, 'id', 'name', 'description', 'mode', 'defaultStickiness'),
  featureLimit: Project.properties.featureLimit,
};

/** The answer to the creation of a project. */
export const ProjectCreatedSchema = Type.Object(
  {
    ...fields,
    description: Type.Optional(Type.String({ description: 'Left out if there is none' })),
    environments: Type.Array(Type.String()),
  },
  { $id: 'projectCreated' },
);

/** A project in lists. */
const ProjectSchema = Type.Object(
  {
    ...fields,
    description: Type.Optional(Type.String({ description: 'Left out if there is none' })),
    health: Health,
    technicalDebt: TechnicalDebt,
    featureCount: Type.Integer({ description: 'Flags that are not archived' }),
    archivedFeatureCount: Type.Integer({ description: 'Flags that are archived' }),
    staleFeatureCount: Type.Integer({ description: 'Flags marked as stale' }),
    potentiallyStaleFeatureCount: Type.Integer({
      description: 'Flags that have outlived the expected lifetime of their type',
    }),
    avgTimeToProduction: Type.Number({
      description: 'Average number of days until a flag was first on in production',
    }),
    memberCount: Type.Integer({ description: 'Users with a role in the project, directly or through a group' }),
    favorite: Type.Boolean({ description: 'Whether the project is a favourite of the caller' }),
    createdAt: DateTime,
    updatedAt: Nullable(DateTime),
    archivedAt: Nullable(DateTime),
    lastReportedFlagUsage: Nullable({ ...DateTime, description: 'When an SDK last reported a flag of the project' }),
    lastUpdatedAt: Nullable({ ...DateTime, description: 'When the project, or something in it, last changed' }),
    onboardingStatus: OnboardingStatusSchema,
    owners: OwnersSchema,
  },
  { $id: 'project' },
);

export const ProjectListSchema = Type.Object({ version: Type.Integer(), projects: Type.Array(ProjectSchema) });

const ProjectEnvironmentDetailsSchema = Type.Object({
  environment: Type.String({ description: 'Name of the environment' }),
  changeRequestsEnabled: Type.Boolean({
    description: 'Whether flags can be changed in the environment only by change requests',
  }),
  defaultStrategy: Type.Optional(DefaultStrategySchema),
});

/** One project with statistics of its flags. */
export const ProjectOverviewSchema = Type.Object(
  {
    version: Type.Integer(),
    ...fields,
    featureNaming: FeatureNaming,
    linkTemplates: Type.Array(Type.Object(answeredFields(LinkTemplate, 'title', 'urlTemplate')), {
      description: 'Links that new flags get',
    }),
    environments: Type.Array(ProjectEnvironmentDetailsSchema, {
      description: 'Environments of the project, by sort order',
    }),
    featureTypeCounts: FeatureTypeCountsSchema,
    health: Health,
    technicalDebt: TechnicalDebt,
    members: Type.Integer({ description: 'Users with a role in the project, directly or through a group' }),
    stats: ProjectStatsSchema,
    onboardingStatus: OnboardingStatusSchema,
    favorite: Type.Boolean({ description: 'Whether the project is a favourite of the caller' }),
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
