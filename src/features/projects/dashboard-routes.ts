import Type from 'typebox';
import { readableProjects, visibleProjects } from '../../access/visibility.ts';
import { Rejection } from '../../base/rejection.ts';
import { listPieces } from '../../http/answer.ts';
import type { AuditEvent } from '../../model/event.ts';
import type { Feature } from '../../model/feature.ts';
import { DateTime, Nullable } from '../../model/primitives.ts';
import { ROLE_ID } from '../../model/role.ts';
import type { User } from '../../model/user.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import { decodeForSummary } from '../events/present.ts';
import { eventSummary } from '../events/summary.ts';
import { favoriteNames } from '../flags/favorites/commands.ts';
import { imageUrlOf } from '../people/users/present.ts';
import { findProject } from '../shared/lookup.ts';
import { readingStore } from '../shared/reading-store.ts';
import { projectsOfDashboard, rolesIn } from './caller-projects.ts';
import { OnboardingStatusSchema, onboardingStatus } from './onboarding.ts';
import { type Owner, OwnersSchema, ownerOf, ownersOf, UserOwnerSchema } from './owners.ts';
import { dashboardInsights, healthOf, type ListedProject, listedProjects, technicalDebt } from './present.ts';
import { DashboardInsightsSchema, Health, TechnicalDebt } from './stats-schemas.ts';

const route = routesOf('Users');

/** Number of events of a project that its dashboard shows. */
const LATEST_EVENTS = 10;

const PersonalDashboardSchema = Type.Object(
  {
    projects: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of the project' }),
        name: Type.String({ description: 'Name of the project' }),
        health: Health,
        technicalDebt: TechnicalDebt,
        memberCount: Type.Integer({ description: 'Users with a role in the project' }),
        featureCount: Type.Integer({ description: 'Flags that are not archived' }),
      }),
      {
        description:
          'Projects in which the caller has a role; for editors also the default project; for admins all projects',
      },
    ),
    flags: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the flag' }),
        project: Type.String({ description: 'Project of the flag' }),
        type: Type.String({ description: 'Type of the flag' }),
      }),
      { description: 'Flags that the caller created or marked as favourites, without archived flags' },
    ),
    admins: Type.Array(
      Type.Object({
        id: Type.Integer({ description: 'Id of the user' }),
        name: Type.Optional(Type.String({ description: 'Name of the user' })),
        username: Type.Optional(Type.String({ description: 'Username of the user' })),
        email: Type.Optional(Type.String({ description: 'Email of the user' })),
        imageUrl: Type.String({ description: 'Address of the user’s picture' }),
      }),
      { description: 'Admins: users who can help the caller' },
    ),
    projectOwners: Type.Array(UserOwnerSchema, {
      description: 'Users who own a project that the caller may see. The caller can ask them for access',
    }),
  },
  { $id: 'personalDashboard', description: 'Projects and flags of the caller, and users who can help' },
);

const getPersonalDashboard = route('GET /api/admin/personal-dashboard', 'getPersonalDashboard', {
  access: { permission: 'READ' },
  summary: "The caller's projects and flags, and the users who can grant more access",
  responses: { 200: { description: 'The dashboard of the caller', schema: PersonalDashboardSchema } },
  async handle({ caller, asker }, services) {
    const { state, fixedStates } = services;
    const visible = visibleProjects(state, caller);
    const ownProjects = projectsOfDashboard(caller, state).flatMap((id) => state.get('projects', id) ?? []);
    return readingStore(async () => {
      const projects = await listedProjects(
        ownProjects.filter(({ archivedAt }) => archivedAt === null),
        services,
        asker,
      );
      const now = fixedStates.until(asker);
      const pieces = listPieces({}, [
        ['projects', projects, (one: ListedProject) => [JSON.stringify(presentOwnProject(one))]],
        ['flags', ownFlags(now, caller.user, visible.has), (flag) => [JSON.stringify(flag)]],
        ['admins', now.lookup('usersByRootRole', String(ROLE_ID.admin)), presentAdmin],
        ['projectOwners', projectOwners(now, visible.has), (owner) => [JSON.stringify(owner)]],
      ]);
      return { status: 200, pieces };
    });
  },
});

function presentOwnProject({ project, stats, members }: ListedProject) {
  const { id, name } = project;
  const percentages = { health: healthOf(stats), technicalDebt: technicalDebt(stats) };
  return { id, name, ...percentages, memberCount: members, featureCount: stats.active };
}

/** Yields the flags that the user created or marked as favourites, lazily because they may be many. Yields undefined for hidden flags. */
function* ownFlags(state: StateReader, user: string | null, isVisible: (project: string) => boolean) {
  if (user === null) return;
  const present = ({ name, project, type, archived }: Feature) =>
    archived || !isVisible(project) ? undefined : { name, project, type };
  for (const feature of state.lookup('featuresByCreator', user)) yield present(feature);
  for (const name of favoriteNames(state, user, 'feature')) {
    const feature = state.get('features', name);
    yield feature && String(feature.createdBy.id) !== user ? present(feature) : undefined;
  }
}

function presentAdmin(user: User): string[] {
  const { id, name, username, email } = user;
  const names = {
    ...(name !== null && { name }),
    ...(username !== null && { username }),
    ...(email !== null && { email }),
  };
  return user.accountType === 'User' ? [JSON.stringify({ id, ...names, imageUrl: imageUrlOf(user) })] : [];
}

/** Yields the users who own projects. Yields undefined for a group, and for a user who was already yielded. */
function* projectOwners(state: StateReader, isVisible: (project: string) => boolean): Iterable<Owner | undefined> {
  const yieldedIds = new Set<number>();
  for (const { id } of [...state.values('projects')]) {
    if (!isVisible(id)) continue;
    for (const roles of state.lookup('ownersByProject', id)) {
      if (roles.holder !== 'user' || yieldedIds.has(roles.holderId)) {
        yield undefined;
        continue;
      }
      yieldedIds.add(roles.holderId);
      yield ownerOf(state, roles);
    }
  }
}

const DashboardRoleSchema = Type.Object({
  name: Type.String({ description: 'Name of the role' }),
  id: Type.Integer({ description: 'Id of the role' }),
  type: Type.Enum(['custom', 'project', 'root', 'custom-root'], {
    description: 'Whether the role is custom or built in, and whether it applies to projects or to the whole instance',
  }),
});

const ProjectDetailsSchema = Type.Object(
  {
    onboardingStatus: OnboardingStatusSchema,
    insights: DashboardInsightsSchema,
    latestEvents: Type.Array(
      Type.Object({
        id: Type.Integer({ minimum: 1, description: 'Id of the event' }),
        summary: Nullable(Type.String({ description: 'What happened, in a sentence of Markdown' })),
        createdBy: Type.String({ description: 'Name of the user or token that caused the event' }),
        createdByImageUrl: Type.String({ description: 'Address of the picture of this user' }),
        createdAt: Type.String({ ...DateTime, description: 'When the event happened' }),
      }),
      { description: 'The latest events of the project, newest first' },
    ),
    owners: OwnersSchema,
    roles: Type.Array(DashboardRoleSchema, { description: 'Roles of the caller in the project' }),
  },
  { $id: 'personalDashboardProjectDetails', description: 'A project as the dashboard of the caller shows it' },
);

const getProjectDetails = route('GET /api/admin/personal-dashboard/:projectId', 'getPersonalDashboardProjectDetails', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'Latest events, owners and onboarding status of a project, and the roles of the caller in the project',
  responses: {
    200: { description: 'The project as the dashboard of the caller shows it', schema: ProjectDetailsSchema },
  },
  async handle({ params, caller, asker }, services) {
    const { state, eventIndex, projectStats, config } = services;
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    return readingStore(async () => {
      const page = { fromId: state.lastEventId, limit: LATEST_EVENTS };
      const query = { project: project.id, readable: readableProjects(state, caller) };
      const { events } = await eventIndex.search(query, page, asker, decodeForSummary);
      const latestEvents: ReturnType<typeof presentLatest>[] = [];
      for await (const event of events) latestEvents.push(presentLatest(event, state, config.basePath));
      const stats = await projectStats.of(project.id, asker);
      const head = {
        onboardingStatus: onboardingStatus(stats),
        insights: dashboardInsights(stats),
        latestEvents,
        roles: rolesIn(state, caller, project.id).map(({ id, name, type }) => ({
          name,
          id,
          type: type === 'root-custom' ? 'custom-root' : type,
        })),
      };
      const owners = ownersOf(state, project.id);
      return { status: 200, pieces: listPieces(head, [['owners', owners, (owner) => [JSON.stringify(owner)]]]) };
    });
  },
});

function presentLatest(event: AuditEvent, reader: StateReader, basePath: string) {
  const { id, createdBy, createdByUserId, createdAt } = event;
  const user = createdByUserId === null ? undefined : reader.get('users', String(createdByUserId));
  const createdByImageUrl = imageUrlOf(user ?? { id: createdByUserId ?? 0, email: createdBy, username: null });
  return { id, summary: eventSummary(event, basePath), createdBy, createdByImageUrl, createdAt };
}

export const personalDashboardEndpoints = [getPersonalDashboard, getProjectDetails];
