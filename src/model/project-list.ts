import { ALL } from './api-token.ts';
import type { Scope } from './caller.ts';

/** Projects of one environment, in the format of tokens and sources: a list of ids; `*` means all. */
export interface ListedScope {
  readonly environment: string;
  readonly projects: readonly string[];
}

/** The list in its stored form: sorted, without duplicates; only `*` if it contains `*`. */
export function normalProjects(projects: readonly string[]): string[] {
  return projects.includes(ALL) ? [ALL] : [...new Set(projects)].sort();
}

export function holdsProject(projects: readonly string[], project: string): boolean {
  return projects.includes(ALL) || projects.includes(project);
}

/** The scope of a token with this list. */
export function scopeOf({ environment, projects }: ListedScope): Scope {
  return { environment, projects: projects.includes(ALL) ? null : new Set(normalProjects(projects)) };
}

/** Equal keys for equal scopes, independent of order and duplicates. Stored as a key of `mirroredScopes`. */
export function scopeKey({ environment, projects }: ListedScope): string {
  return JSON.stringify([environment, ...normalProjects(projects)]);
}
