import type { VisibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { ALL, type ApiToken } from '../../model/api-token.ts';
import { defaultStrategyKey } from '../../model/default-strategy.ts';
import type { Environment } from '../../model/environment.ts';
import type { Project } from '../../model/project.ts';
import { holdsProject } from '../../model/project-list.ts';
import type { State } from '../../state/state.ts';
import { changeRequestConfig } from '../shared/change-request-config.ts';
import { countEnabled } from '../usage/flag-counts.ts';

/** Returns all environments, by sort order. */
export function sortedEnvironments(state: State): Environment[] {
  return [...state.values('environments')].sort(
    (left, right) => left.sortOrder - right.sortOrder || (left.name < right.name ? -1 : 1),
  );
}

/** Returns the environments as the admin API shows them (contract: Environment). Counts only flags and tokens of visible projects. */
export async function presentEnvironments(
  environments: readonly Environment[],
  state: State,
  visible: VisibleProjects,
  asker: Asker,
) {
  const enabled = await countEnabled(state, state.values('features'), asker, visible);
  const visibleProjectList = [...state.values('projects')].filter(({ id }) => visible.has(id));
  const projects = countNames(visibleProjectList.flatMap((project) => project.environments));
  const tokens = countNames(visibleTokens(state, visible).map((token) => token.environment));
  return environments.map((environment) => ({
    ...environmentFields(environment),
    projectCount: projects.get(environment.name) ?? 0,
    apiTokenCount: tokens.get(environment.name) ?? 0,
    enabledToggleCount: enabled.get(environment.name) ?? 0,
    // Both values belong to an environment of one project, and this answer is about all projects.
    requiredApprovals: null,
    defaultStrategy: null,
  }));
}

/** Returns every environment, with counts for one project. `visible` is true for the environments that the project has. */
export async function presentProjectEnvironments(project: Project, state: State, asker: Asker) {
  const enabled = await countEnabled(state, state.lookup('featuresByProject', project.id), asker);
  const tokensOfProject = [...state.values('apiTokens')].filter(({ projects }) => holdsProject(projects, project.id));
  const tokens = countNames(tokensOfProject.map((token) => token.environment));
  return sortedEnvironments(state).map((environment) => ({
    ...environmentFields(environment),
    projectApiTokenCount: tokens.get(environment.name) ?? 0,
    projectEnabledToggleCount: enabled.get(environment.name) ?? 0,
    visible: project.environments.includes(environment.name),
    requiredApprovals: changeRequestConfig(state, project.id, environment.name).requiredApprovals,
    defaultStrategy: state.get('defaultStrategies', defaultStrategyKey(project.id, environment.name))?.strategy ?? null,
  }));
}

export function environmentFields({
  name,
  type,
  enabled,
  protected: isProtected,
  sortOrder,
  requireReason,
  fetchMode,
}: Environment) {
  return {
    name,
    type,
    enabled,
    protected: isProtected,
    sortOrder,
    requireReason: requireReason ?? false,
    fetchMode: fetchMode ?? null,
  };
}

/**
 * Returns the tokens that the caller may see: tokens for all projects, and tokens for at least one visible project. A caller that sees all projects
 * sees all tokens.
 */
export function visibleTokens(state: State, visible: VisibleProjects): readonly ApiToken[] {
  const tokens = [...state.values('apiTokens')];
  if (visible.isAll) return tokens;
  return tokens.filter(({ projects }) => projects.some((project) => project === ALL || visible.has(project)));
}

/** Counts how often each name occurs. */
function countNames(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
