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

/** Contexts that each list's flags are asked for. */
const CONTEXTS = 500;

/** Reaches whose lists are compared. */
const REACHES_MAX = 100;

/** Tokens of a reach that lists are asked for with, until one opens on both sides. */
const TRIES_MAX = 3;

/** Other tokens that are asked with, whether they open. Of pages fewer: an Unleash keeps a reader of its own for each. */
const OTHER_CLIENTS_MAX = 1_000;
const FRONTENDS_MAX = 100;

/** What pages see whose answers are compared: as `REACHES_MAX`, and each asks both servers dozens of times. */
const PAGE_REACHES_MAX = 20;

/** What was compared, and what is not the same. */
interface Verification {
  /** Lists of SDKs, one for all tokens that see the same. */
  lists: number;
  /** Answers that servers evaluated for pages, flag by flag. */
  pages: number;
  /** Tokens beside those of the lists that open here as there. */
  opened: number;
  flags: number;
  evaluations: number;
  differences: number;
  /** Flags whose definitions differ, and that gave the same answers. */
  otherwise: number;
  /** Lifetimes, origins, banners, reviews and favourites. */
  settings: number;
  /** Tokens that nothing was asked with, or that open nothing at the source either. */
  unasked: number;
  /** What tokens see, and no list of which was compared. */
  readonly uncompared: string[];
  /** Environments of which no token lets anybody see the lists. */
  readonly unseen: string[];
}

/** Reports what is found, as it is found: all of it, however much. `say` gets whole lines, without secrets. */
interface Telling {
  readonly progress: Progress;
  readonly say: (line: string) => void;
}

/**
 * Asks both sides for what SDKs get, with the tokens that SDKs have, and evaluates the same contexts on both. A difference is reported with its
 * reason: what is not the same in the flag's definition.
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
  for (const difference of await settingDifferences(target, holdings, found)) tell(run, difference);
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
  /** By environment: of the widest list that was compared. */
  readonly samplers: Map<string, ContextSampler>;
  readonly found: Verification;
  readonly say: (line: string) => void;
}

/** A token that is only asked whether it opens; with the ETags that its list has, where they are known. */
interface Other {
  readonly token: Token;
  readonly environment: string;
  readonly there: string;
  readonly here: string;
}

function alone(token: Token): Other {
  return { token, environment: token.environment, there: '', here: '' };
}

/** With the first token that opens on both sides. Resolves with the others: they get the same, if they open. */
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

/** Resolves with those that open here as there. */
async function askWithOthers(run: Run, others: readonly Other[], most: number): Promise<Token[]> {
  const { found, source, target } = run;
  const opened: Token[] = [];
  found.unasked += Math.max(0, others.length - most);
  const ask = async ({ token, there, here }: Other): Promise<unknown> => {
    const [was, is] = await Promise.all([tryToken(source, token, there), tryToken(target, token, here)]);
    if (was === 'refused' || was === 'nothing there') return found.unasked++;
    if (is === 'refused' || is === 'nothing there') return tell(run, `${nameOf(token)}: ${OPENS_NOTHING}`);
    // There it gets what others of its scope get, and here it does not.
    if (was === 'same list' && is === 'open') return await compareLists(run, token);
    found.opened++;
    return opened.push(token);
  };
  await Promise.all(others.slice(0, most).map(ask));
  return opened;
}

/** What servers answer pages, with one token of those that see the same. */
async function comparePages(run: Run, tokens: readonly Token[]): Promise<void> {
  const { source, target, holdings, appNames, samplers, found } = run;
  const drawn = drawnFlags(holdings);
  const pages = reachesOf(tokens, 'frontend');
  for (const reach of pages.slice(0, PAGE_REACHES_MAX)) {
    const [token] = reach.tokens as readonly [Token];
    const sampler = samplers.get(reach.environment) ?? new ContextSampler([], holdings, appNames);
    const { answers, differences } = await pageDifferences({ source, target, sampler, drawn }, token);
    found.pages += answers;
    for (const difference of differences) tell(run, `${nameOf(token)}: ${difference}`);
  }
  for (const reach of pages.slice(PAGE_REACHES_MAX)) found.uncompared.push(`pages of ${reachText(reach)}`);
}

const OPENS_NOTHING = 'it opens nothing here, and does there';

function nameOf({ tokenName, type, environment }: Token): string {
  return `${type === 'client' ? '' : `${type} `}token ${tokenName} (${environment})`;
}

/** Resolves with the ETags of the lists; undefined when the token does not open on both sides, which is reported. */
async function compareLists(run: Run, token: Token): Promise<Pick<Other, 'there' | 'here'> | undefined> {
  const { found, source, target, holdings, appNames } = run;
  const [there, here] = await Promise.all([readSdkList(source, token.secret), readSdkList(target, token.secret)]);
  const name = nameOf(token);
  if (there === undefined) return void tell(run, `${name}: the source does not take it`);
  if (here === undefined) return void tell(run, `${name}: ${OPENS_NOTHING}`);
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
  // One that is not sent is off to an SDK.
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
      tell(run, `${name}: ${flag} is "${was}" there and "${is}" here for ${asText}: ${reason}`);
    }
  }
  for (const flag of flags) {
    const reason = different.has(flag) ? undefined : reasonOf(both, flag);
    if (reason !== undefined) aside(run, `${name}: ${flag} answered alike, but is defined otherwise: ${reason}`);
  }
}

function tell({ found, say }: Run, difference: string): void {
  found.differences++;
  say(`  ${difference}`);
}

function aside({ found, say }: Run, what: string): void {
  found.otherwise++;
  say(`  ${what}`);
}

/** What of the flag's definition is not the same; undefined when nothing is. */
function reasonOf({ there, here }: Both, name: string): string | undefined {
  const [was, is] = [there.flags.get(name), here.flags.get(name)];
  if (!is) return 'it is not sent here, because its project does not have the environment, or it is gone';
  if (!was) return 'it is sent here alone';
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
    dependencies: onceEach(dependencies),
  };
}

/** Unleash sends some dependencies more than once, and in any order. */
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

/** For people: the summary, once everything was reported. */
export function verificationText(found: Verification): string {
  const { lists, pages, opened, flags, evaluations, differences, otherwise, settings, unasked, uncompared, unseen } =
    found;
  const lines = [
    `Compared what SDKs get, in ${lists} lists, one for all tokens that see the same: ${flags} flags, ${evaluations} evaluations, ${differences} differences.`,
    `Of what servers evaluate for pages, ${pages} answers were compared.`,
    `Beside them: ${opened} more tokens that open here as there; ${settings} lifetimes of flag types, lists of frontend origins, banners, environments with reviews and favourites.`,
  ];
  if (otherwise > 0) lines.push(`${otherwise} flags gave the same answers, but are defined otherwise, as said above.`);
  if (unasked > 0) lines.push(`${unasked} tokens were not asked with, or open nothing there either.`);
  if (uncompared.length > 0)
    lines.push(`Not compared, though there are client tokens for it: ${uncompared.join('; ')}.`);
  if (unseen.length > 0) lines.push(`Not compared, for want of a client token: ${unseen.join(', ')}.`);
  return `${lines.join('\n')}\n`;
}
