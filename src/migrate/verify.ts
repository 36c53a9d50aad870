import { isDeepStrictEqual } from 'node:util';
import type { Taken } from '../commands/take-over-input.ts';
import type { FlagDefinition } from '../evaluation/compile.ts';
import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { list, object, text } from './loose-json.ts';
import type { Progress } from './progress.ts';
import { ContextSampler } from './sample-contexts.ts';
import { readSdkList, type SdkList } from './sdk-list.ts';
import { settingDifferences } from './verify-settings.ts';

/** Contexts that each token's flags are asked for. */
const CONTEXTS = 500;

/** Tokens whose lists are compared; those that see the most come first. */
const TOKENS_MAX = 100;

/** Differences that are told; the others are counted. */
const TOLD_MAX = 200;

/** What was compared, and what is not the same. */
export interface Verification {
  /** Lists of SDKs, one a token. */
  lists: number;
  flags: number;
  evaluations: number;
  differences: number;
  /** Flags that are not told in the same words, and gave the same answers. */
  otherwise: number;
  /** Lifetimes, origins, banners, reviews and favourites. */
  settings: number;
  /** For people, without secrets. */
  readonly told: string[];
  readonly asides: string[];
  /** Environments of which no token lets anybody see the lists. */
  readonly unseen: string[];
}

type Token = Taken<'apiTokens'>;

/**
 * Asks both sides for what SDKs are told, with the tokens that SDKs have, and evaluates the same contexts on both. A difference is told with its
 * reason: what is not the same in the flag's definition.
 */
export async function verify(
  source: InstanceClient,
  target: InstanceClient,
  holdings: Holdings,
  progress: Progress,
): Promise<Verification> {
  const found: Verification = {
    lists: 0,
    flags: 0,
    evaluations: 0,
    differences: 0,
    otherwise: 0,
    settings: 0,
    told: [],
    asides: [],
    unseen: [],
  };
  const tokens = tokensToAskWith(holdings);
  const appNames = await readAppNames(source);
  for (const [index, token] of tokens.entries()) {
    await compareLists(found, { source, target, holdings, appNames }, token);
    progress('lists of tokens compared', index + 1, tokens.length);
  }
  for (const difference of await settingDifferences(target, holdings, found)) tell(found, difference);
  const seen = new Set(tokens.map(({ environment }) => environment));
  found.unseen.push(...holdings.environments.map(({ name }) => name).filter((name) => !seen.has(name)));
  return found;
}

function tokensToAskWith({ apiTokens }: Holdings): Token[] {
  const reach = ({ projects }: Token) => (projects.includes('*') ? Number.POSITIVE_INFINITY : projects.length);
  const distinct = new Map<string, Token>();
  for (const token of apiTokens) {
    const { type, environment, projects, expiresAt } = token;
    if (type !== 'client' || (expiresAt !== null && Date.parse(expiresAt) < Date.now())) continue;
    // Two tokens of the same reach are both asked with: that each opens is what is to be seen. Only their evaluations are alike.
    distinct.set(`${environment}/${projects.join()}/${token.secret}`, token);
  }
  return [...distinct.values()].sort((left, right) => (reach(left) > reach(right) ? -1 : 1)).slice(0, TOKENS_MAX);
}

async function readAppNames(source: InstanceClient): Promise<string[]> {
  const answer = object(await source.getIfThere('/api/admin/metrics/applications'));
  return list(answer.applications)
    .map(({ appName }) => text(appName))
    .slice(0, 50);
}

interface Sides {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
  readonly holdings: Holdings;
  readonly appNames: readonly string[];
}

async function compareLists(found: Verification, sides: Sides, token: Token): Promise<void> {
  const [there, here] = await Promise.all([
    readSdkList(sides.source, token.secret),
    readSdkList(sides.target, token.secret),
  ]);
  const name = `token ${token.tokenName} (${token.environment})`;
  if (there === undefined) return tell(found, `${name}: the source does not take it`);
  if (here === undefined) return tell(found, `${name}: it opens nothing here, and does there`);
  found.lists++;
  found.flags += there.flags.size;
  evaluateBoth(found, { there, here, name }, new ContextSampler([there, here], sides.holdings, sides.appNames), token);
}

interface Both {
  readonly there: SdkList;
  readonly here: SdkList;
  readonly name: string;
}

function evaluateBoth(found: Verification, both: Both, sampler: ContextSampler, { environment }: Token): void {
  const { there, here, name } = both;
  // One that is not told is off to an SDK.
  const flags = new Set([...there.flags.keys(), ...here.flags.keys()]);
  const different = new Set<string>();
  for (let index = 0; index < CONTEXTS; index++) {
    const { context, asText } = sampler.next(environment);
    for (const flag of flags) {
      found.evaluations++;
      const [was, is] = [there.answer(flag, context), here.answer(flag, context)];
      if (was === is || different.has(flag)) continue;
      different.add(flag);
      const reason = reasonOf(both, flag) ?? 'the definitions are the same';
      tell(found, `${name}: ${flag} is "${was}" there and "${is}" here for ${asText}: ${reason}`);
    }
  }
  for (const flag of flags) {
    const reason = different.has(flag) ? undefined : reasonOf(both, flag);
    if (reason !== undefined) aside(found, `${name}: ${flag} answered alike, but is told otherwise: ${reason}`);
  }
}

function tell(found: Verification, difference: string): void {
  found.differences++;
  if (found.told.length < TOLD_MAX) found.told.push(difference);
}

function aside(found: Verification, what: string): void {
  found.otherwise++;
  if (found.asides.length < TOLD_MAX) found.asides.push(what);
}

/** What of the flag's definition is not the same; undefined when nothing is. */
function reasonOf({ there, here }: Both, name: string): string | undefined {
  const [was, is] = [there.flags.get(name), here.flags.get(name)];
  if (!is) return 'it is not told here, because its project does not have the environment, or it is gone';
  if (!was) return 'it is told here alone';
  const differs: string[] = [];
  const [mine, theirs] = [meaningOf(here, is), meaningOf(there, was)];
  for (const part of Object.keys(mine) as (keyof typeof mine)[]) {
    if (isDeepStrictEqual(mine[part], theirs[part])) continue;
    differs.push(`${part} ${short(theirs[part])} there, ${short(mine[part])} here`);
  }
  return differs.length === 0 ? undefined : differs.join('; ');
}

function short(value: unknown): string {
  const told = JSON.stringify(value);
  return told.length > 300 ? `${told.slice(0, 300)}…` : told;
}

/** A flag without what means nothing: ids, and what is said where nothing is meant otherwise. */
function meaningOf(sdkList: SdkList, { enabled, impressionData, strategies, variants, dependencies }: FlagDefinition) {
  return {
    enabled,
    impressionData,
    strategies: strategies.map((strategy) => ({
      name: strategy.name,
      parameters: strategy.parameters,
      conditions: sdkList.conditionsOf(strategy).map(plainCondition),
      variants: strategy.variants,
    })),
    variants,
    dependencies,
  };
}

function plainCondition(told: unknown): unknown {
  if (Array.isArray(told)) return told.map(plainCondition);
  const { contextName, operator, values, value, inverted, caseInsensitive } = object(told);
  if (contextName === undefined) return told;
  const has = Array.isArray(values) ? values : [];
  return {
    contextName,
    operator,
    values: has,
    value: value ?? '',
    inverted: inverted === true,
    caseInsensitive: caseInsensitive === true,
  };
}

/** For people. */
export function verificationText(found: Verification): string {
  const { lists, flags, evaluations, differences, otherwise, settings, told, asides, unseen } = found;
  const lines = [
    `Compared what SDKs are told with ${lists} tokens: ${flags} flags, ${evaluations} evaluations, ${differences} differences.`,
    ...told.map((each) => `  ${each}`),
    `Beside them: ${settings} lifetimes of flag types, lists of frontend origins, banners, environments with reviews and favourites.`,
  ];
  if (differences > told.length) lines.push(`  and ${differences - told.length} more`);
  if (otherwise > 0)
    lines.push(
      `${otherwise} flags gave the same answers, but are told otherwise:`,
      ...asides.map((each) => `  ${each}`),
    );
  if (unseen.length > 0) lines.push(`Not compared, for want of a client token: ${unseen.join(', ')}.`);
  return `${lines.join('\n')}\n`;
}
