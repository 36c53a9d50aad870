import type { ApiToken } from './api-token.ts';
import type { Author } from './primitives.ts';

/** What a caller may read: one environment, and some projects or all of them (null). */
export interface Scope {
  readonly environment: string;
  readonly projects: ReadonlySet<string> | null;
}

/** Who sent a request, once authenticated. One object a token, shared by all its requests. */
export interface Caller {
  readonly author: Author;
  readonly token: ApiToken | null;
  /** For client and frontend callers; admin callers see everything. */
  readonly scope: Scope;
}

/** Whether the scope covers the project. */
export function covers(scope: Scope, project: string): boolean {
  return scope.projects === null || scope.projects.has(project);
}
