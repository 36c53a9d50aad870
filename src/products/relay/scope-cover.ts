import { ALL, type ApiToken } from '../../model/api-token.ts';
import { normalProjects, scopeKey } from '../../model/project-list.ts';

/** What upstream is asked for, and with what. */
export interface CoveredScope {
  readonly key: string;
  readonly environment: string;
  readonly projects: readonly string[];
  /** Tokens that upstream may be asked with, those of this very scope first. */
  readonly secrets: readonly string[];
}

type TokenScope = Pick<ApiToken, 'secret' | 'environment' | 'projects'>;

/**
 * Scopes that hold everything that these tokens see, none of which others hold together. Widest first, so that which ones they are depends on the
 * tokens alone.
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
  const covered = new Map<string, Set<string>>();
  for (const [key, scope] of widestFirst) {
    const held = covered.get(scope.environment) ?? new Set<string>();
    covered.set(scope.environment, held);
    if (holds(held, scope.projects)) continue;
    for (const project of scope.projects) held.add(project);
    cover.push({ key, ...scope });
  }
  return withoutHeld(cover);
}

/** Those of the scopes that the others do not hold together. What a scope was taken for may have come with a later one: the last are looked at first. */
function withoutHeld(cover: readonly CoveredScope[]): readonly CoveredScope[] {
  const placesOf = ({ environment, projects }: CoveredScope) =>
    normalProjects(projects).map((project) => `${environment}:${project}`);
  const holders = new Map<string, number>();
  for (const scope of cover) for (const place of placesOf(scope)) holders.set(place, (holders.get(place) ?? 0) + 1);
  const needed: CoveredScope[] = [];
  for (const scope of cover.toReversed()) {
    const places = placesOf(scope);
    if (places.some((place) => holders.get(place) === 1)) needed.push(scope);
    else for (const place of places) holders.set(place, (holders.get(place) ?? 0) - 1);
  }
  return needed.reverse();
}

/** No projects, or no tokens. */
export const NOTHING: ReadonlySet<string> = new Set();

/** Whether these projects hold all of the others. */
export function holds(held: ReadonlySet<string>, projects: Iterable<string>): boolean {
  if (held.has(ALL)) return true;
  for (const project of projects) if (!held.has(project)) return false;
  return true;
}

/** Those of the projects that the others hold. */
export function within(projects: readonly string[], held: ReadonlySet<string>): readonly string[] {
  if (held.has(ALL)) return projects;
  return projects.includes(ALL) ? [...held] : projects.filter((project) => held.has(project));
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
