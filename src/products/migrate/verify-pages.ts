import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { list, object, text } from './loose-json.ts';
import type { ContextSampler } from './sample-contexts.ts';
import type { Token } from './verify-tokens.ts';

/** Number of contexts that are sent to each side, for each scope of tokens. */
const CONTEXTS = 30;

/** Maximum length of a query, in characters: servers refuse longer URLs. */
const QUERY_LENGTH_MAX = 6_000;

interface Pages {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
  readonly sampler: ContextSampler;
  /** The names of flags whose answers are random for some contexts. */
  readonly drawn: ReadonlySet<string>;
}

/** Compares the frontend API's answers of both servers for the token. Resolves with the number of compared answers, and the differences. */
export async function pageDifferences({ source, target, sampler, drawn }: Pages, token: Token) {
  const differences = new Map<string, string>();
  let answers = 0;
  for (let index = 0; index < CONTEXTS; index++) {
    const sent = contextOf(sampler.next(token.environment).asText, index);
    const query = queryOf(sent);
    const [there, here] = await Promise.all([source, target].map((side) => togglesOf(side, token, query)));
    for (const name of new Set([...(there?.keys() ?? []), ...(here?.keys() ?? [])])) {
      if (drawn.has(name)) continue;
      answers++;
      const [was, is] = [there?.get(name) ?? 'off', here?.get(name) ?? 'off'];
      if (was === is || differences.has(name)) continue;
      differences.set(name, `${name} is "${was}" there and "${is}" here for ${JSON.stringify(sent)}`);
    }
  }
  return { answers, differences: [...differences.values()] };
}

interface Sent {
  userId?: string;
  sessionId?: string;
  remoteAddress?: string;
  appName?: string;
  currentTime?: string;
  properties: Record<string, string>;
}

/** A context with all top-level fields: no answer is random, and no server adds an address. Every third user id has a non-ASCII character. */
function contextOf(asText: string, index: number): Sent {
  const { currentTime: _now, userId = '7', ...rest } = JSON.parse(asText) as Sent;
  const id = index % 3 === 0 ? `${userId}å` : userId;
  return { sessionId: 'a-session', remoteAddress: '10.0.0.1', appName: 'burgee-migrate', ...rest, userId: id };
}

function queryOf({ properties, ...fields }: Sent): string {
  const query = new URLSearchParams(Object.entries(fields));
  for (const [name, value] of Object.entries(properties)) {
    const more = new URLSearchParams([[`properties[${name}]`, value]]);
    if (query.toString().length + more.toString().length > QUERY_LENGTH_MAX) delete properties[name];
    else query.append(`properties[${name}]`, value);
  }
  return query.toString();
}

/** The flags that are on, by name, each with its variant as text. @throws MigrateError */
async function togglesOf(side: InstanceClient, token: Token, query: string): Promise<ReadonlyMap<string, string>> {
  const path = `/api/frontend?${query}`;
  const headers = { authorization: token.secret };
  const answer = object(side.parsed('GET', '/api/frontend', await side.ask('GET', path, undefined, headers)));
  return new Map(
    list(answer.toggles).map(({ name, variant }) => {
      const { name: chosen, enabled, payload } = object(variant);
      return [text(name), enabled === true ? `on, ${text(chosen)} ${JSON.stringify(payload ?? null)}` : 'on'];
    }),
  );
}

const KEPT_STICKINESS = new Set(['', 'default', 'userId', 'sessionId']);

/** The names of flags whose answers are random for some contexts, and of the children of these flags. */
export function drawnFlags({ features }: Pick<Holdings, 'features'>): ReadonlySet<string> {
  const drawn = new Set<string>();
  for (const { name, environments } of features) {
    for (const { strategies, variants } of environments) {
      const isDrawn =
        strategies.some(
          (strategy) =>
            strategy.name === 'gradualRolloutRandom' ||
            strategy.parameters.stickiness === 'random' ||
            strategy.variants.some(({ stickiness }) => !KEPT_STICKINESS.has(stickiness)),
        ) || variants.some(({ stickiness = '' }) => !KEPT_STICKINESS.has(stickiness));
      if (isDrawn) drawn.add(name);
    }
  }
  // One level of children is enough, because a parent flag has no parents.
  const children = features.filter(({ dependencies = [] }) => dependencies.some(({ feature }) => drawn.has(feature)));
  for (const { name } of children) drawn.add(name);
  return drawn;
}
