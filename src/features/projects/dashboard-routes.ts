import Type from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import { Rejection } from '../../base/rejection.ts';
import { listPieces } from '../../http/answer.ts';
import type { AuditEvent } from '../../model/event.ts';
import type { Feature } from '../../model/feature.ts';
import { DateTime, Nullable } from '../../model/primitives.ts';
import { ROLE_ID } from '../../model/role.ts';
import type { User } from '../../model/user.ts';
import type { StateReader } from '../../state/collections.ts';
import type { State } from '../../state/state.ts';
import { routesOf } from '../endpoint.ts';
import { eventSummary } from '../events/summary.ts';
import { favoriteNames } from '../flags/favorites/commands.ts';
import { imageUrlOf } from '../people/users/present.ts';
import { findProject } from '../shared/lookup.ts';
import { readingStore } from '../shared/reading-store.ts';
import { projectsOfDashboard } from './own.ts';
import {
  OnboardingStatusSchema,
  type Owner,
  OwnersSchema,
  onboardingStatus,
  ownerOf,
  ownersOf,
  rolesIn,
  UserOwnerSchema,
} from './people.ts';
import { dashboardInsights, healthOf, type ListedProject, listedProjects, technicalDebt } from './present.ts';
import { DashboardInsightsSchema, Health, TechnicalDebt } from './stats-schemas.ts';

const route = routesOf('Users');

/** Number of events of a project that its dashboard shows. */
const LATEST_EVENTS = 10;

const PersonalDashboardSchema = Type.Object(
  {
    projects: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Of the project' }),
        name: Type.String({ description: 'Of the project' }),
        health: Health,
        technicalDebt: TechnicalDebt,
        memberCount: Type.Integer({ description: 'Users with a role in the project' }),
        featureCount: Type.Integer({ description: 'Flags, archived ones left out' }),
      }),
      { description: 'Projects in which the caller has a role; for admins all, for editors also the default project' },
    ),
    flags: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Of the flag' }),
        project: Type.String({ description: 'Project of the flag' }),
        type: Type.String({ description: 'Of the flag' }),
      }),
      { description: 'Those that the caller created or marked as favourites, archived ones left out' },
    ),
    admins: Type.Array(
      Type.Object({
        id: Type.Integer({ description: 'Of the user' }),
        name: Type.Optional(Type.String({ description: 'Of the user' })),
        username: Type.Optional(Type.String({ description: 'Of the user' })),
        email: Type.Optional(Type.String({ description: 'Of the user' })),
        imageUrl: Type.String({ description: 'Where their picture is' }),
      }),
      { description: 'Users who are admins and can be asked for help' },
    ),
    projectOwners: Type.Array(UserOwnerSchema, {
      description: 'Users who own a project that the caller may see and can be asked for access',
    }),
  },
  { $id: 'personalDashboard', description: 'What concerns the caller' },
);

const getPersonalDashboard = route('GET /api/admin/personal-dashboard', 'getPersonalDashboard', {
  access: { permission: 'READ' },
  summary: "The caller's projects and flags, and the users who can grant more access",
  responses: { 200: { description: 'What concerns the caller', schema: PersonalDashboardSchema } },
  async handle({ caller }, services) {
    const { state } = services;
    const visible = visibleProjects(state, caller);
    const own = projectsOfDashboard(caller, state).flatMap((id) => state.get('projects', id) ?? []);
    return readingStore(async () => {
      const projects = await listedProjects(
        own.filter(({ archivedAt }) => archivedAt === null),
        services,
      );
      const pieces = listPieces({}, [
        ['projects', projects, (one: ListedProject) => [JSON.stringify(presentOwn(one))]],
        ['flags', ownFlags(state, caller.user, visible.has), (flag) => [JSON.stringify(flag)]],
        ['admins', state.lookup('usersByRootRole', String(ROLE_ID.admin)), presentAdmin],
        ['projectOwners', projectOwners(state, visible.has), (owner) => [JSON.stringify(owner)]],
      ]);
      return { status: 200, pieces };
    });
  },
});

function presentOwn({ project, stats, members }: ListedProject) {
  const { id, name } = project;
  const shares = { health: healthOf(stats), technicalDebt: technicalDebt(stats) };
  return { id, name, ...shares, memberCount: members, featureCount: stats.active };
}

/** The flags that the user created or marked as favorites, read lazily because they may be many. Yields undefined for hidden flags. */
function* ownFlags(state: State, user: string | null, isVisible: (project: string) => boolean) {
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

/** The users who own projects, without duplicates. Yields undefined for every other owner. */
function* projectOwners(state: State, isVisible: (project: string) => boolean): Iterable<Owner | undefined> {
  const presented = new Set<number>();
  for (const { id } of [...state.values('projects')]) {
    if (!isVisible(id)) continue;
    for (const held of state.lookup('ownersByProject', id)) {
      if (held.holder !== 'user' || presented.has(held.holderId)) {
        yield undefined;
        continue;
      }
      presented.add(held.holderId);
      yield ownerOf(state, held);
    }
  }
}

const DashboardRoleSchema = Type.Object({
  name: Type.String({ description: 'Of the role' }),
  id: Type.Integer({ description: 'Of the role' }),
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
        id: Type.Integer({ minimum: 1, description: 'Of the event' }),
        summary: Nullable(Type.String({ description: 'What happened, in a sentence of Markdown' })),
        createdBy: Type.String({ description: 'Who caused it' }),
        createdByImageUrl: Type.String({ description: 'Where their picture is' }),
        createdAt: Type.String({ ...DateTime, description: 'When it happened' }),
      }),
      { description: 'What happened in the project last, newest first' },
    ),
    owners: OwnersSchema,
    roles: Type.Array(DashboardRoleSchema, { description: 'Roles of the caller in the project' }),
  },
  { $id: 'personalDashboardProjectDetails', description: 'What concerns the caller in a project' },
);

const getProjectDetails = route('GET /api/admin/personal-dashboard/:projectId', 'getPersonalDashboardProjectDetails', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: "A project's latest events, its owners, the caller's roles in it, and its onboarding status",
  responses: { 200: { description: 'What concerns the caller in the project', schema: ProjectDetailsSchema } },
  async handle({ params, caller }, services) {
    const { state, eventIndex, projectStats, config } = services;
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    return readingStore(async () => {
      const page = { fromId: state.lastEventId, limit: LATEST_EVENTS };
      const { events } = await eventIndex.search({ project: project.id }, page);
      const latestEvents: ReturnType<typeof presentLatest>[] = [];
      for await (const event of events) latestEvents.push(presentLatest(event, state, config.basePath));
      const stats = await projectStats.of(project.id);
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
