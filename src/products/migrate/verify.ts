import { isDeepStrictEqual } from 'node:util';
import type { FlagDefinition } from '../../evaluation/compile.ts';
import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { list, object, text } from './loose-json.ts';
import type { Progress } from './progress.ts';
import { ContextSampler } from './sample-contexts.ts';
import { readSdkList, type SdkList, tryToken } from './sdk-list.ts';
import { drawnFlags, pageDifferences } from './verify-pages.ts';
import { settingDifferences } from './verify-settings.ts';
import { environmentsInTurns, type Reach, reachesOf, reachText, type Token, unexpired } from './verify-tokens.ts';

/** Number of contexts with which the flags of each list are evaluated. */
const CONTEXTS = 500;

/** Maximum number of token scopes whose lists are compared. */
const REACHES_MAX = 100;

/** Maximum number of tokens of a scope that are tried until both sides accept one of them. */
const TRIES_MAX = 3;

/** Maximum number of other tokens that are tried. It is lower for frontend tokens, because Unleash keeps a separate reader for each of them. */
const OTHER_CLIENTS_MAX = 1_000;
const FRONTENDS_MAX = 100;

/** Same as `REACHES_MAX`, for frontend tokens. It is lower, because each scope needs dozens of requests to both servers. */
const PAGE_REACHES_MAX = 20;

/** The numbers of compared items and of differences. */
interface Verification {
  /** Number of compared lists for SDKs, one for each scope. */
  lists: number;
  /** Number of compared answers of the frontend API. Each flag counts as one answer. */
  pages: number;
  /** Number of other tokens that both sides accept. */
  opened: number;
  flags: number;
  evaluations: number;
  differences: number;
  /** Number of flags with different definitions but the same answers. */
  otherwise: number;
  /** Number of compared lifetimes, origins, banners, reviews and favourites. */
  settings: number;
  /** Number of tokens that were not tried, or that the source does not accept. */
  unasked: number;
  /** The scopes of tokens whose lists were not compared, as text for users. */
  readonly uncompared: string[];
  /** The environments without a client token. */
  readonly unseen: string[];
}

/** Receives the progress, and every difference as soon as it is found. `say` gets one complete line without secrets. */
interface Telling {
  readonly progress: Progress;
  readonly say: (line: string) => void;
}

/**
 * Requests the answers for SDKs from both sides, with the SDKs' tokens, and evaluates the same contexts on both. A difference is reported with its
 * reason: the differing parts of the flag's definition.
 */
export async function verify(
  source: InstanceClient,
  target: InstanceClient,
  holdings: Holdings,
  { progress, say }: Telling,
): Promise<Verification> {
  const found: Verification = {
    ...{
      lists: 0,
      pages: 0,
      opened: 0,
      flags: 0,
      evaluations: 0,
      differences: 0,
      otherwise: 0,
      settings: 0,
      unasked: 0,
    },
    uncompared: [],
    unseen: [],
  };
  const run: Run = { source, target, holdings, appNames: await readAppNames(source), samplers: new Map(), found, say };
  const tokens = unexpired(holdings.apiTokens, Date.now());
  const reaches = reachesOf(tokens);
  const others: Other[] = [];
  const compared = reaches.slice(0, REACHES_MAX);
  for (const [index, reach] of compared.entries()) {
    others.push(...(await compareReach(run, reach)));
    progress('lists of tokens compared', index + 1, compared.length);
  }
  for (const reach of reaches.slice(REACHES_MAX)) leaveOut(found, reach, reach.tokens);
  await askWithOthers(run, environmentsInTurns(others), OTHER_CLIENTS_MAX);
  const frontends = tokens.filter(({ type }) => type === 'frontend').map(alone);
  const opened = await askWithOthers(run, environmentsInTurns(frontends), FRONTENDS_MAX);
  await comparePages(run, opened);
  for (const difference of await settingDifferences(target, holdings, found)) report(run, difference);
  const seen = new Set(reaches.map(({ environment }) => environment));
  found.unseen.push(...holdings.environments.map(({ name }) => name).filter((name) => !seen.has(name)));
  return found;
}

async function readAppNames(source: InstanceClient): Promise<string[]> {
  const answer = object(await source.getIfThere('/api/admin/metrics/applications'));
  return list(answer.applications)
    .map(({ appName }) => text(appName))
    .slice(0, 50);
}

interface Run {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
  readonly holdings: Holdings;
  readonly appNames: readonly string[];
  /** For each environment, the sampler of the widest compared list. */
  readonly samplers: Map<string, ContextSampler>;
  readonly found: Verification;
  readonly say: (line: string) => void;
}

/** A token for which only acceptance is tested. `there` and `here` are the expected ETags of its list in source and target; "" if unknown. */
interface Other {
  readonly token: Token;
  readonly environment: string;
  readonly there: string;
  readonly here: string;
}

function alone(token: Token): Other {
  return { token, environment: token.environment, there: '', here: '' };
}

/** Compares the lists for the first token that both sides accept. Resolves with the later tokens of the scope, which must get the same lists. */
async function compareReach(run: Run, reach: Reach): Promise<Other[]> {
  for (const [index, token] of reach.tokens.slice(0, TRIES_MAX).entries()) {
    const etags = await compareLists(run, token);
    if (etags) return reach.tokens.slice(index + 1).map((other) => ({ ...alone(other), ...etags }));
  }
  leaveOut(run.found, reach, reach.tokens.slice(TRIES_MAX));
  return [];
}

function leaveOut(found: Verification, reach: Reach, unasked: readonly Token[]): void {
  found.uncompared.push(reachText(reach));
  found.unasked += unasked.length;
}

/** Tests at most `most` of the tokens. Resolves with the tokens that both sides accept. */
async function askWithOthers(run: Run, others: readonly Other[], most: number): Promise<Token[]> {
  const { found, source, target } = run;
  const opened: Token[] = [];
  found.unasked += Math.max(0, others.length - most);
  const ask = async ({ token, there, here }: Other): Promise<unknown> => {
    const [was, is] = await Promise.all([tryToken(source, token, there), tryToken(target, token, here)]);
    if (was === 'refused' || was === 'nothing there') return found.unasked++;
    if (is === 'refused' || is === 'nothing there') return report(run, `${nameOf(token)}: ${OPENS_NOTHING}`);
    // The source returns the list of the scope, but the target returns a different list.
    if (was === 'same list' && is === 'open') return await compareLists(run, token);
    found.opened++;
    return opened.push(token);
  };
  await Promise.all(others.slice(0, most).map(ask));
  return opened;
}

/** Compares the answers of the frontend API, with one token of each scope. */
async function comparePages(run: Run, tokens: readonly Token[]): Promise<void> {
  const { source, target, holdings, appNames, samplers, found } = run;
  const drawn = drawnFlags(holdings);
  const pages = reachesOf(tokens, 'frontend');
  for (const reach of pages.slice(0, PAGE_REACHES_MAX)) {
    const [token] = reach.tokens as readonly [Token];
    const sampler = samplers.get(reach.environment) ?? new ContextSampler([], holdings, appNames);
    const { answers, differences } = await pageDifferences({ source, target, sampler, drawn }, token);
    found.pages += answers;
    for (const difference of differences) report(run, `${nameOf(token)}: ${difference}`);
  }
  for (const reach of pages.slice(PAGE_REACHES_MAX)) found.uncompared.push(`pages of ${reachText(reach)}`);
}

const OPENS_NOTHING = 'it is accepted there, but not here';

function nameOf({ tokenName, type, environment }: Token): string {
  return `${type === 'client' ? '' : `${type} `}token ${tokenName} (${environment})`;
}

/** Compares the lists of both sides for the token. Resolves with their ETags, or with undefined if one side refuses the token, which is reported. */
async function compareLists(run: Run, token: Token): Promise<Pick<Other, 'there' | 'here'> | undefined> {
  const { found, source, target, holdings, appNames } = run;
  const [there, here] = await Promise.all([readSdkList(source, token.secret), readSdkList(target, token.secret)]);
  const name = nameOf(token);
  if (there === undefined) return void report(run, `${name}: the source does not accept it`);
  if (here === undefined) return void report(run, `${name}: ${OPENS_NOTHING}`);
  found.lists++;
  found.flags += there.flags.size;
  const sampler = new ContextSampler([there, here], holdings, appNames);
  if (!run.samplers.has(token.environment)) run.samplers.set(token.environment, sampler);
  evaluateBoth(run, { there, here, name }, sampler, token);
  return { there: there.etag, here: here.etag };
}

interface Both {
  readonly there: SdkList;
  readonly here: SdkList;
  readonly name: string;
}

function evaluateBoth(run: Run, both: Both, sampler: ContextSampler, { environment }: Token): void {
  const { there, here, name } = both;
  // Flags of both lists are compared: for an SDK, a flag that is not in its list is off.
  const flags = new Set([...there.flags.keys(), ...here.flags.keys()]);
  const different = new Set<string>();
  for (let index = 0; index < CONTEXTS; index++) {
    const { context, asText } = sampler.next(environment);
    for (const flag of flags) {
      run.found.evaluations++;
      const [was, is] = [there.answer(flag, context), here.answer(flag, context)];
      if (was === is || different.has(flag)) continue;
      different.add(flag);
      const reason = reasonOf(both, flag) ?? 'the definitions are the same';
      report(run, `${name}: ${flag} is "${was}" there and "${is}" here for ${asText}: ${reason}`);
    }
  }
  for (const flag of flags) {
    const reason = different.has(flag) ? undefined : reasonOf(both, flag);
    if (reason !== undefined)
      aside(run, `${name}: ${flag} gave the same answers, but has a different definition: ${reason}`);
  }
}

function report({ found, say }: Run, difference: string): void {
  found.differences++;
  say(`  ${difference}`);
}

function aside({ found, say }: Run, what: string): void {
  found.otherwise++;
  say(`  ${what}`);
}

/** The parts in which the two definitions of the flag differ, as text. Undefined if they do not differ. */
function reasonOf({ there, here }: Both, name: string): string | undefined {
  const [was, is] = [there.flags.get(name), here.flags.get(name)];
  if (!is) return 'it is not sent here, because its project does not have the environment, or it was deleted';
  if (!was) return 'it is sent only here';
  const differs: string[] = [];
  const [mine, theirs] = [meaningOf(here, is), meaningOf(there, was)];
  for (const part of Object.keys(mine) as (keyof typeof mine)[]) {
    if (isDeepStrictEqual(mine[part], theirs[part])) continue;
    differs.push(`${part} ${short(theirs[part])} there, ${short(mine[part])} here`);
  }
  return differs.length === 0 ? undefined : differs.join('; ');
}

function short(value: unknown): string {
  const sent = JSON.stringify(value);
  return sent.length > 300 ? `${sent.slice(0, 300)}…` : sent;
}

/** The parts of a flag that have an effect: without ids and explicit default values. */
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
    dependencies: onceEach(dependencies),
  };
}

/** The distinct dependencies, sorted, because Unleash sends some more than once and in any order. */
function onceEach(dependencies: FlagDefinition['dependencies']): readonly string[] {
  return [
    ...new Set(dependencies.map((each) => JSON.stringify([each.feature, each.enabled, [...each.variants].sort()]))),
  ].sort();
}

function plainCondition(sent: unknown): unknown {
  if (Array.isArray(sent)) return sent.map(plainCondition);
  const { contextName, operator, values, value, inverted, caseInsensitive } = object(sent);
  if (contextName === undefined) return sent;
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

/** The summary for the user, after all differences. */
export function verificationText(found: Verification): string {
  const { lists, pages, opened, flags, evaluations, differences, otherwise, settings, unasked, uncompared, unseen } =
    found;
  const lines = [
    `Compared what SDKs get, in ${lists} lists, one for each scope of tokens: ${flags} flags, ${evaluations} evaluations, ${differences} differences.`,
    `Compared ${pages} answers of the frontend API.`,
    `Also compared: ${opened} more tokens that both sides accept; ${settings} lifetimes of flag types, lists of frontend origins, banners, environments with reviews and favourites.`,
  ];
  if (otherwise > 0) lines.push(`${otherwise} flags gave the same answers, but have different definitions, see above.`);
  if (unasked > 0) lines.push(`${unasked} tokens were not tried, or are not accepted there either.`);
  if (uncompared.length > 0) lines.push(`Not compared, although there are client tokens: ${uncompared.join('; ')}.`);
  if (unseen.length > 0) lines.push(`Not compared, because there is no client token: ${unseen.join(', ')}.`);
  return `${lines.join('\n')}\n`;
}
