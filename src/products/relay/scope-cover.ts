import { ALL, type ApiToken } from '../../model/api-token.ts';
import { normalProjects, scopeKey } from '../../model/project-list.ts';

/** A scope that is requested from upstream, and the tokens for it. */
export interface CoveredScope {
  readonly key: string;
  readonly environment: string;
  readonly projects: readonly string[];
  /** Tokens for the requests; tokens with exactly this scope first. */
  readonly secrets: readonly string[];
}

type TokenScope = Pick<ApiToken, 'secret' | 'environment' | 'projects'>;

/**
 * Returns scopes that together cover everything these tokens can access. No returned scope is covered by the others. The widest scopes are processed
 * first, so the result depends only on the set of tokens.
 */
export function coverOf(tokens: Iterable<TokenScope>): readonly CoveredScope[] {
  const scopes = new Map<string, { environment: string; projects: readonly string[]; secrets: string[] }>();
  for (const { secret, environment, projects } of tokens) {
    const key = scopeKey({ environment, projects });
    const scope = scopes.get(key);
    if (scope) scope.secrets.push(secret);
    else scopes.set(key, { environment, projects, secrets: [secret] });
  }
  const widestFirst = [...scopes].sort(([keyA, { projects: a }], [keyB, { projects: b }]) => {
    const width = Number(b.includes(ALL)) - Number(a.includes(ALL)) || b.length - a.length;
    return width || (keyA < keyB ? -1 : 1);
  });
  const cover: CoveredScope[] = [];
  const coveredByEnvironment = new Map<string, Set<string>>();
  for (const [key, scope] of widestFirst) {
    const coveredProjects = coveredByEnvironment.get(scope.environment) ?? new Set<string>();
    coveredByEnvironment.set(scope.environment, coveredProjects);
    if (holds(coveredProjects, scope.projects)) continue;
    for (const project of scope.projects) coveredProjects.add(project);
    cover.push({ key, ...scope });
  }
  return withoutRedundant(cover);
}

/**
 * Removes scopes that the other scopes cover together. A later scope may cover everything for which an earlier scope was added, so the check starts
 * with the last one.
 */
function withoutRedundant(cover: readonly CoveredScope[]): readonly CoveredScope[] {
  const pairsOf = ({ environment, projects }: CoveredScope) =>
    normalProjects(projects).map((project) => `${environment}:${project}`);
  const scopeCounts = new Map<string, number>();
  for (const scope of cover) for (const pair of pairsOf(scope)) scopeCounts.set(pair, (scopeCounts.get(pair) ?? 0) + 1);
  const neededScopes: CoveredScope[] = [];
  for (const scope of cover.toReversed()) {
    const pairs = pairsOf(scope);
    if (pairs.some((pair) => scopeCounts.get(pair) === 1)) neededScopes.push(scope);
    else for (const pair of pairs) scopeCounts.set(pair, (scopeCounts.get(pair) ?? 0) - 1);
  }
  return neededScopes.reverse();
}

/** The empty set, for no projects or no tokens. */
export const EMPTY_SET: ReadonlySet<string> = new Set();

/** Whether `coveredProjects` includes all of the projects. */
export function holds(coveredProjects: ReadonlySet<string>, projects: Iterable<string>): boolean {
  if (coveredProjects.has(ALL)) return true;
  for (const project of projects) if (!coveredProjects.has(project)) return false;
  return true;
}

/** The projects that are in both collections. `*` stands for all projects. */
export function intersection(projects: readonly string[], others: ReadonlySet<string>): readonly string[] {
  if (others.has(ALL)) return projects;
  return projects.includes(ALL) ? [...others] : projects.filter((project) => others.has(project));
}

/** Adds projects to those of an environment. */
export function addAll(sets: Map<string, Set<string>>, environment: string, projects: Iterable<string>): void {
  let set = sets.get(environment);
  if (!set) {
    set = new Set();
    sets.set(environment, set);
  }
  for (const project of projects) set.add(project);
}
