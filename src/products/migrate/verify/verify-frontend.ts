import type { Holdings } from '../holdings.ts';
import type { InstanceClient } from '../instance-client.ts';
import { list, object, text } from '../loose-json.ts';
import type { ContextSampler } from './sample-contexts.ts';
import type { Token } from './verify-tokens.ts';

/** Number of contexts that are sent to source and target, for each scope of tokens. */
const CONTEXTS = 30;

/** Maximum length of a query, in characters: servers refuse longer URLs. */
const QUERY_LENGTH_MAX = 6_000;

interface FrontendComparison {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
  readonly sampler: ContextSampler;
  /** The names of flags whose answers are random for some contexts. */
  readonly randomNames: ReadonlySet<string>;
}

/** Compares the answers of the frontend API of source and target for the token. Resolves with the number of compared answers and the differences. */
export async function frontendDifferences({ source, target, sampler, randomNames }: FrontendComparison, token: Token) {
  const differences = new Map<string, string>();
  let answers = 0;
  for (let index = 0; index < CONTEXTS; index++) {
    const sent = contextOf(sampler.next(token.environment).asText, index);
    const query = queryOf(sent);
    const [sourceAnswers, targetAnswers] = await Promise.all(
      [source, target].map((side) => togglesOf(side, token, query)),
    );
    for (const name of new Set([...(sourceAnswers?.keys() ?? []), ...(targetAnswers?.keys() ?? [])])) {
      if (randomNames.has(name)) continue;
      answers++;
      const [sourceAnswer, targetAnswer] = [sourceAnswers?.get(name) ?? 'off', targetAnswers?.get(name) ?? 'off'];
      if (sourceAnswer === targetAnswer || differences.has(name)) continue;
      differences.set(
        name,
        `${name} is "${sourceAnswer}" in the source and "${targetAnswer}" in the target for ${JSON.stringify(sent)}`,
      );
    }
  }
  return { answers, differences: [...differences.values()] };
}

interface SentContext {
  userId?: string;
  sessionId?: string;
  remoteAddress?: string;
  appName?: string;
  currentTime?: string;
  properties: Record<string, string>;
}

/**
 * A context with all top-level fields, so that no answer is random and no server adds an address. Every third user id has a non-ASCII character,
 * because servers may hash such ids differently.
 */
function contextOf(asText: string, index: number): SentContext {
  const { currentTime: _currentTime, userId = '7', ...rest } = JSON.parse(asText) as SentContext;
  const id = index % 3 === 0 ? `${userId}å` : userId;
  return { sessionId: 'a-session', remoteAddress: '10.0.0.1', appName: 'burgee-migrate', ...rest, userId: id };
}

function queryOf({ properties, ...fields }: SentContext): string {
  const query = new URLSearchParams(Object.entries(fields));
  for (const [name, value] of Object.entries(properties)) {
    const more = new URLSearchParams([[`properties[${name}]`, value]]);
    if (query.toString().length + more.toString().length > QUERY_LENGTH_MAX) delete properties[name];
    else query.append(`properties[${name}]`, value);
  }
  return query.toString();
}

/** The flags that are on, by name, each with its variant as text. @throws ProgramError */
async function togglesOf(side: InstanceClient, token: Token, query: string): Promise<ReadonlyMap<string, string>> {
  const path = `/api/frontend?${query}`;
  const headers = { authorization: token.secret };
  const answer = object(side.parse('GET', '/api/frontend', await side.ask('GET', path, undefined, headers)));
  return new Map(
    list(answer.toggles).map(({ name, variant }) => {
      const { name: chosen, enabled, payload } = object(variant);
      return [text(name), enabled === true ? `on, ${text(chosen)} ${JSON.stringify(payload ?? null)}` : 'on'];
    }),
  );
}

/** Values of stickiness with which the compared contexts get the same answer every time. */
const STABLE_STICKINESS = new Set(['', 'default', 'userId', 'sessionId']);

/** The names of flags whose answers are random for some contexts, and of the children of these flags. */
export function randomFlags({ features }: Pick<Holdings, 'features'>): ReadonlySet<string> {
  const randomNames = new Set<string>();
  for (const { name, environments } of features) {
    for (const { strategies, variants } of environments) {
      const isRandom =
        strategies.some(
          (strategy) =>
            strategy.name === 'gradualRolloutRandom' ||
            strategy.parameters.stickiness === 'random' ||
            strategy.variants.some(({ stickiness }) => !STABLE_STICKINESS.has(stickiness)),
        ) || variants.some(({ stickiness = '' }) => !STABLE_STICKINESS.has(stickiness));
      if (isRandom) randomNames.add(name);
    }
  }
  // One level of children is enough, because a parent flag has no parents.
  const children = features.filter(({ dependencies = [] }) =>
    dependencies.some(({ feature }) => randomNames.has(feature)),
  );
  for (const { name } of children) randomNames.add(name);
  return randomNames;
}
