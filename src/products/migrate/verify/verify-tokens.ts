import type { Imported } from '../../../features/import-export/instance/input.ts';

export type Token = Imported<'apiTokens'>;

/** Tokens of one type with the same scope: SDKs get the same answer with each of them. */
export interface TokenScope {
  readonly environment: string;
  /** The ids of the projects, sorted. Only `*` if the tokens are for all projects. */
  readonly projects: readonly string[];
  readonly tokens: readonly Token[];
}

/**
 * The distinct scopes of the tokens of a type. The scopes of different environments alternate, the widest scope of each environment first, so that a
 * limit does not leave out whole environments.
 */
export function tokenScopesOf(tokens: readonly Token[], type: Token['type'] = 'client'): TokenScope[] {
  const scopes = new Map<string, TokenScope & { readonly tokens: Token[] }>();
  for (const token of tokens) {
    if (token.type !== type) continue;
    const { environment } = token;
    const projects = token.projects.includes('*') ? ['*'] : [...new Set(token.projects)].sort();
    const key = JSON.stringify([environment, projects]);
    const scope = scopes.get(key);
    if (scope) scope.tokens.push(token);
    else scopes.set(key, { environment, projects, tokens: [token] });
  }
  const width = ({ projects }: TokenScope) => (projects[0] === '*' ? Number.MAX_SAFE_INTEGER : projects.length);
  return alternatingEnvironments([...scopes.values()].sort((left, right) => width(right) - width(left)));
}

/** Tokens that SDKs can still use. */
export function unexpired(tokens: readonly Token[], nowMs: number): Token[] {
  return tokens.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) >= nowMs);
}

/** Sorts items: the first item of each environment, then the second of each, and so on. The order within an environment does not change. */
export function alternatingEnvironments<T extends { readonly environment: string }>(items: readonly T[]): T[] {
  const counts = new Map<string, number>();
  const rounds: T[][] = [];
  for (const item of items) {
    const round = counts.get(item.environment) ?? 0;
    counts.set(item.environment, round + 1);
    if (rounds.length === round) rounds.push([]);
    rounds[round]?.push(item);
  }
  return rounds.flat();
}

/** The scope of the tokens as text for users. */
export function scopeText({ environment, projects }: TokenScope): string {
  return projects[0] === '*' ? `${environment} (all projects)` : `${environment} (${projects.join(', ')})`;
}
