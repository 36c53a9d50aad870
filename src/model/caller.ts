import type { ApiToken } from './api-token.ts';
import { type Author, SYSTEM_USER_ID } from './primitives.ts';

/** What a caller may read: one environment, and some projects or all of them (null). */
export interface Scope {
  readonly environment: string;
  readonly projects: ReadonlySet<string> | null;
}

/** `nobody` sent no credential where none is asked for; `system` is the service itself. */
export type CallerKind = 'nobody' | 'client' | 'frontend' | 'admin' | 'system';

/** Who sent a request, once authenticated. One object a token, shared by all its requests. */
export interface Caller {
  readonly kind: CallerKind;
  readonly author: Author;
  readonly token: ApiToken | null;
  /** For client and frontend callers; admin callers see everything. */
  readonly scope: Scope;
}

/** Whether the scope covers the project. */
export function covers(scope: Scope, project: string): boolean {
  return scope.projects === null || scope.projects.has(project);
}

const NOTHING: Scope = { environment: '', projects: new Set() };

/** Whoever sent no credential where none is asked for. */
export const NOBODY: Caller = { kind: 'nobody', author: { id: 0, name: 'anonymous' }, token: null, scope: NOTHING };

/** The service itself, by whichever name it signs. */
export function systemCaller(author: Author = { id: SYSTEM_USER_ID, name: 'burgee' }): Caller {
  return { kind: 'system', author, token: null, scope: NOTHING };
}
