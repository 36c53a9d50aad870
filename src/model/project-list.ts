import { ALL } from './api-token.ts';
import type { Scope } from './caller.ts';

/** Projects of one environment, as tokens and sources name them: a list of ids, of which `*` stands for all. */
export interface ListedScope {
  readonly environment: string;
  readonly projects: readonly string[];
}

/** The list as it is stored: each project once, in order; all of them are `*` alone. */
export function normalProjects(projects: readonly string[]): string[] {
  return projects.includes(ALL) ? [ALL] : [...new Set(projects)].sort();
}

export function holdsProject(projects: readonly string[], project: string): boolean {
  return projects.includes(ALL) || projects.includes(project);
}

/** What may be read by whoever has been given these projects. */
export function scopeOf({ environment, projects }: ListedScope): Scope {
  return { environment, projects: projects.includes(ALL) ? null : new Set(normalProjects(projects)) };
}

/** The same for the same scope, however its projects are named. Stored as a key of `mirroredScopes`. */
export function scopeKey({ environment, projects }: ListedScope): string {
  return JSON.stringify([environment, ...normalProjects(projects)]);
}
