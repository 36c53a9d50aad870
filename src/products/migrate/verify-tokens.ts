import type { Imported } from '../../features/import-export/instance/input.ts';

export type Token = Imported<'apiTokens'>;

/** Tokens of one type with the same scope: SDKs get the same answer with each of them. */
export interface Reach {
  readonly environment: string;
  /** The ids of the projects, sorted. Only `*` if the tokens are for all projects. */
  readonly projects: readonly string[];
  readonly tokens: readonly Token[];
}

/**
 * The distinct scopes of the tokens of a type. The scopes of different environments alternate, the widest scope of each environment first, so that a
 * limit does not leave out whole environments.
 */
export function reachesOf(tokens: readonly Token[], type: Token['type'] = 'client'): Reach[] {
  const reaches = new Map<string, Reach & { readonly tokens: Token[] }>();
  for (const token of tokens) {
    if (token.type !== type) continue;
    const { environment } = token;
    const projects = token.projects.includes('*') ? ['*'] : [...new Set(token.projects)].sort();
    const key = JSON.stringify([environment, projects]);
    const reach = reaches.get(key);
    if (reach) reach.tokens.push(token);
    else reaches.set(key, { environment, projects, tokens: [token] });
  }
  const width = ({ projects }: Reach) => (projects[0] === '*' ? Number.MAX_SAFE_INTEGER : projects.length);
  return environmentsInTurns([...reaches.values()].sort((left, right) => width(right) - width(left)));
}

/** Tokens that SDKs can still use. */
export function unexpired(tokens: readonly Token[], nowMs: number): Token[] {
  return tokens.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) >= nowMs);
}

/** Sorts items: the first item of each environment, then the second of each, and so on. The order within an environment does not change. */
export function environmentsInTurns<T extends { readonly environment: string }>(items: readonly T[]): T[] {
  const taken = new Map<string, number>();
  const turns: T[][] = [];
  for (const item of items) {
    const turn = taken.get(item.environment) ?? 0;
    taken.set(item.environment, turn + 1);
    if (turns.length === turn) turns.push([]);
    turns[turn]?.push(item);
  }
  return turns.flat();
}

/** The scope of the tokens as text for users. */
export function reachText({ environment, projects }: Reach): string {
  return projects[0] === '*' ? `${environment} (all projects)` : `${environment} (${projects.join(', ')})`;
}
