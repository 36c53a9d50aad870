import { memberCount, memberCounts } from '../../access/members.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import { listPieces } from '../../http/answer.ts';
import { defaultStrategyKey } from '../../model/default-strategy.ts';
import type { Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';
import { environmentNames } from '../flags/present.ts';
import type { Services } from '../services.ts';
import { changeRequestConfig } from '../shared/change-request-config.ts';
import { onboardingStatus } from './onboarding.ts';
import { ownersOf } from './owners.ts';
import { type ProjectStats, WINDOW_MS } from './stats.ts';

/** The services that the functions of this file use. */
interface ProjectSources extends Pick<Services, 'clock' | 'eventIndex' | 'projectStats' | 'projectActivity'> {
  readonly state: StateReader;
}

/** Returns the properties that every answer about a project has. */
export function projectFields({ id, name, description, mode, defaultStickiness, featureLimit }: Project) {
  return { id, name, description, mode, defaultStickiness, featureLimit };
}

/** Returns the percentage of the flags that are stale or potentially stale. */
export function technicalDebt({ active, stale, potentiallyStale }: ProjectStats): number {
  return active === 0 ? 0 : Math.round((100 * (stale + potentiallyStale)) / active);
}

/** Returns the percentage of the flags that are neither stale nor potentially stale. */
export function healthOf(stats: ProjectStats): number {
  return 100 - technicalDebt(stats);
}

/** Returns the data about a project that the dashboard of a user shows. Average health is null, because past values are not stored. */
export function dashboardInsights(stats: ProjectStats) {
  const { active, stale, potentiallyStale } = stats;
  return {
    avgHealthCurrentWindow: null,
    avgHealthPastWindow: null,
    totalFlags: active,
    activeFlags: active - stale - potentiallyStale,
    staleFlags: stale,
    potentiallyStaleFlags: potentiallyStale,
    health: healthOf(stats),
    technicalDebt: technicalDebt(stats),
  };
}

/** Returns the number of flags of the project that are not archived. */
function activeFlagCount(state: StateReader, project: string): number {
  return state.count('featuresByProject', project) - state.count('archivedByProject', project);
}

/** A project in a list, with the properties that are computed for it. */
export interface ListedProject {
  readonly project: Project;
  readonly stats: ProjectStats;
  readonly members: number;
  readonly lastUpdatedAt: string;
}

/** Computes the properties of these projects that lists show, in time slices. @throws StoreError */
export async function listedProjects(
  projects: readonly Project[],
  { state, projectStats, projectActivity }: ProjectSources,
  asker: Asker,
): Promise<ListedProject[]> {
  const slicer = Slicer.of(asker);
  const lastEvents = await projectActivity.lastEvents();
  const members = await memberCounts(state);
  const listed: ListedProject[] = [];
  for (const project of projects) {
    const stats = await projectStats.of(project.id, asker);
    const lastEventAt = lastEvents(project.id);
    const lastUpdatedAt = lastEventAt !== null && lastEventAt > project.updatedAt ? lastEventAt : project.updatedAt;
    listed.push({ project, stats, members: members.get(project.id) ?? 0, lastUpdatedAt });
    if (slicer.spent) await slicer.pause();
  }
  return listed;
}

/** Returns the JSON of a project as lists show it, in parts because a project may have many owners. */
export function projectPieces(
  { project, stats, members, lastUpdatedAt }: ListedProject,
  state: StateReader,
  favorites: ReadonlySet<string>,
) {
  const { createdAt, updatedAt, archivedAt } = project;
  const head = {
    ...projectFields(project),
    description: project.description ?? undefined,
    health: healthOf(stats),
    technicalDebt: technicalDebt(stats),
    featureCount: activeFlagCount(state, project.id),
    archivedFeatureCount: state.count('archivedByProject', project.id),
    staleFeatureCount: stats.stale,
    potentiallyStaleFeatureCount: stats.potentiallyStale,
    avgTimeToProduction: stats.averageDaysToProduction,
    memberCount: members,
    favorite: favorites.has(project.id),
    createdAt,
    updatedAt,
    archivedAt,
    lastReportedFlagUsage: stats.lastSeenAt,
    lastUpdatedAt,
    onboardingStatus: onboardingStatus(stats),
  };
  return listPieces(head, [['owners', ownersOf(state, project.id), (owner) => [JSON.stringify(owner)]]]);
}

/** Returns a project with statistics of its flags, its events and its members. @throws StoreError */
export async function presentProjectOverview(
  project: Project,
  sources: ProjectSources,
  favorites: ReadonlySet<string>,
  asker: Asker,
) {
  const { state, projectStats } = sources;
  const stats = await projectStats.of(project.id, asker);
  const { createdAt, updatedAt, archivedAt, featureNaming, linkTemplates = [] } = project;
  return {
    version: 1,
    ...projectFields(project),
    featureNaming: featureNaming ?? { pattern: null, example: null, description: null },
    linkTemplates,
    environments: environmentNames(project.id, state).map((environment) =>
      presentEnvironment(project, environment, state),
    ),
    featureTypeCounts: presentTypeCounts(stats),
    health: healthOf(stats),
    technicalDebt: technicalDebt(stats),
    members: await memberCount(state, project.id),
    stats: await presentStats(project, stats, sources, asker),
    onboardingStatus: onboardingStatus(stats),
    favorite: favorites.has(project.id),
    createdAt,
    updatedAt,
    archivedAt,
  };
}

function presentEnvironment({ id }: Project, environment: string, state: StateReader) {
  const projectDefault = state.get('defaultStrategies', defaultStrategyKey(id, environment));
  const { enabled } = changeRequestConfig(state, id, environment);
  return {
    environment,
    changeRequestsEnabled: enabled,
    ...(projectDefault && { defaultStrategy: projectDefault.strategy }),
  };
}

export function presentTypeCounts({ typeCounts }: ProjectStats) {
  return Array.from(typeCounts, ([type, count]) => ({ type, count }));
}

/** Returns the activity in the project in the last 30 days, and in the 30 days before. @throws StoreError */
export async function presentStats(project: Project, stats: ProjectStats, sources: ProjectSources, asker: Asker) {
  const { state, clock, eventIndex } = sources;
  const nowMs = clock.nowMs();
  const countEvents = async (fromMs: number, toMs: number) => {
    // The number of all events of the project: it names nothing.
    const query = { project: project.id, fromMs, toMs, readable: null };
    const { total } = await eventIndex.search(query, { fromId: 0, limit: 0 }, asker);
    return total;
  };
  const [created, archived] = [stats.created, stats.archived];
  return {
    avgTimeToProdCurrentWindow: stats.recentDaysToProduction,
    createdCurrentWindow: created.current,
    createdPastWindow: created.past,
    archivedCurrentWindow: archived.current,
    archivedPastWindow: archived.past,
    projectActivityCurrentWindow: await countEvents(nowMs - WINDOW_MS, nowMs + 1),
    projectActivityPastWindow: await countEvents(nowMs - 2 * WINDOW_MS, nowMs - WINDOW_MS),
    projectMembersAddedCurrentWindow: await inSlices(
      membersSince(state, project.id, nowMs - WINDOW_MS),
      Slicer.of(asker),
    ),
  };
}

/** Counts the users and groups that were added to the project since `sinceMs` and are still in it. */
export function* membersSince(state: StateReader, project: string, sinceMs: number): Steps<number> {
  let count = 0;
  for (const { createdAt } of state.lookup('rolesByProject', project)) {
    if (Date.parse(createdAt) > sinceMs) count++;
    yield;
  }
  return count;
}
