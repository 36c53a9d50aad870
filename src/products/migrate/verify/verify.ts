import { isDeepStrictEqual } from 'node:util';
import { pushAll } from '../../../base/lists/push-all.ts';
import type { FlagDefinition } from '../../../evaluation/compile.ts';
import type { Holdings } from '../holdings.ts';
import type { InstanceClient } from '../instance-client.ts';
import { list, object, text } from '../loose-json.ts';
import type { Progress } from '../progress.ts';
import { ContextSampler } from './sample-contexts.ts';
import { readSdkList, type SdkList, tryToken } from './sdk-list.ts';
import { frontendDifferences, randomFlags } from './verify-frontend.ts';
import { settingDifferences } from './verify-settings.ts';
import {
  alternatingEnvironments,
  scopeText,
  type Token,
  type TokenScope,
  tokenScopesOf,
  unexpired,
} from './verify-tokens.ts';

/** Number of contexts with which the flags of each list are evaluated. */
const CONTEXTS = 500;

/** Maximum number of token scopes whose lists are compared. */
const TOKEN_SCOPES_MAX = 100;

/** Maximum number of tokens of a scope that are tried until source and target accept one of them. */
const TOKENS_TRIED_MAX = 3;

/** Maximum number of client tokens that are only tested for acceptance. Each of them has the scope of a token whose list is compared. */
const CLIENT_TOKENS_MAX = 1_000;
/** Maximum number of frontend tokens that are tested for acceptance. It is low, because Unleash keeps a copy of the flags for each of them. */
const FRONTEND_TOKENS_MAX = 100;

/** Same as `TOKEN_SCOPES_MAX`, for frontend tokens. It is lower, because each scope needs dozens of requests to both servers. */
const FRONTEND_SCOPES_MAX = 20;

/** The numbers of compared items and of differences. */
interface Verification {
  /** Number of compared lists for SDKs, one for each scope. */
  lists: number;
  /** Number of compared answers of the frontend API. Each flag counts as one answer. */
  frontendAnswers: number;
  /** Number of tokens that both sides accept and whose lists were not compared. */
  acceptedTokens: number;
  flags: number;
  evaluations: number;
  differences: number;
  /** Number of flags with different definitions but the same answers. */
  sameAnswersOnly: number;
  /** Number of compared lifetimes of flag types, lists of frontend origins, banners, environments with reviews, and favourites. */
  settings: number;
  /** Number of tokens that were not tried, or that the source does not accept. */
  uncheckedTokens: number;
  /** The scopes of tokens whose lists were not compared, as text for users. */
  readonly uncompared: string[];
  /** The environments without a client token. */
  readonly environmentsWithoutToken: string[];
}

/** Receives the progress, and every difference as soon as it is found. `say` gets one complete line without secrets. */
interface VerificationOutput {
  readonly progress: Progress;
  readonly say: (line: string) => void;
}

/**
 * Fetches the lists for SDKs from source and target, with the SDKs' tokens. Evaluates both lists in this process, with the same contexts. A
 * difference is reported with its reason: the differing parts of the flag's definition.
 */
export async function verify(
  source: InstanceClient,
  target: InstanceClient,
  holdings: Holdings,
  { progress, say }: VerificationOutput,
): Promise<Verification> {
  const verification: Verification = {
    lists: 0,
    frontendAnswers: 0,
    acceptedTokens: 0,
    flags: 0,
    evaluations: 0,
    differences: 0,
    sameAnswersOnly: 0,
    settings: 0,
    uncheckedTokens: 0,
    uncompared: [],
    environmentsWithoutToken: [],
  };
  const run: Run = {
    source,
    target,
    holdings,
    appNames: await readAppNames(source),
    samplers: new Map(),
    verification,
    say,
  };
  const tokens = unexpired(holdings.apiTokens, Date.now());
  const scopes = tokenScopesOf(tokens);
  const otherTokens: OtherToken[] = [];
  const comparedScopes = scopes.slice(0, TOKEN_SCOPES_MAX);
  for (const [index, scope] of comparedScopes.entries()) {
    pushAll(otherTokens, await compareScope(run, scope));
    progress('lists of tokens compared', index + 1, comparedScopes.length);
  }
  for (const scope of scopes.slice(TOKEN_SCOPES_MAX)) recordUncompared(verification, scope, scope.tokens);
  await testTokens(run, alternatingEnvironments(otherTokens), CLIENT_TOKENS_MAX);
  const frontendTokens = tokens.filter(({ type }) => type === 'frontend').map(withoutEtags);
  const acceptedTokens = await testTokens(run, alternatingEnvironments(frontendTokens), FRONTEND_TOKENS_MAX);
  await compareFrontendAnswers(run, acceptedTokens);
  for (const difference of await settingDifferences(target, holdings, verification)) report(run, difference);
  const environmentsWithToken = new Set(scopes.map(({ environment }) => environment));
  pushAll(
    verification.environmentsWithoutToken,
    holdings.environments.map(({ name }) => name).filter((name) => !environmentsWithToken.has(name)),
  );
  return verification;
}

async function readAppNames(source: InstanceClient): Promise<string[]> {
  const answer = object(await source.getOptional('/api/admin/metrics/applications'));
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
  readonly verification: Verification;
  readonly say: (line: string) => void;
}

/** A token for which only acceptance is tested. `sourceEtag` and `targetEtag`: the expected ETags of its list in source and target; "" if unknown. */
interface OtherToken {
  readonly token: Token;
  readonly environment: string;
  readonly sourceEtag: string;
  readonly targetEtag: string;
}

function withoutEtags(token: Token): OtherToken {
  return { token, environment: token.environment, sourceEtag: '', targetEtag: '' };
}

/** Compares the lists for the first token that both sides accept. Resolves with the later tokens of the scope, which must get the same lists. */
async function compareScope(run: Run, scope: TokenScope): Promise<OtherToken[]> {
  for (const [index, token] of scope.tokens.slice(0, TOKENS_TRIED_MAX).entries()) {
    const etags = await compareLists(run, token);
    if (etags) return scope.tokens.slice(index + 1).map((other) => ({ ...withoutEtags(other), ...etags }));
  }
  recordUncompared(run.verification, scope, scope.tokens.slice(TOKENS_TRIED_MAX));
  return [];
}

function recordUncompared(verification: Verification, scope: TokenScope, uncheckedTokens: readonly Token[]): void {
  verification.uncompared.push(scopeText(scope));
  verification.uncheckedTokens += uncheckedTokens.length;
}

/** Tests at most `max` of the tokens. Resolves with the tokens that both sides accept. */
async function testTokens(run: Run, otherTokens: readonly OtherToken[], max: number): Promise<Token[]> {
  const { verification, source, target } = run;
  const acceptedTokens: Token[] = [];
  verification.uncheckedTokens += Math.max(0, otherTokens.length - max);
  const test = async ({ token, sourceEtag, targetEtag }: OtherToken): Promise<unknown> => {
    const [atSource, atTarget] = await Promise.all([
      tryToken(source, token, sourceEtag),
      tryToken(target, token, targetEtag),
    ]);
    if (atSource === 'refused' || atSource === 'no such API') return verification.uncheckedTokens++;
    if (atTarget === 'refused' || atTarget === 'no such API')
      return report(run, `${nameOf(token)}: ${REFUSED_BY_TARGET}`);
    // The target returns another list for this token than for the compared token of the same scope.
    if (atSource === 'same list' && atTarget === 'accepted') return await compareLists(run, token);
    verification.acceptedTokens++;
    return acceptedTokens.push(token);
  };
  await Promise.all(otherTokens.slice(0, max).map(test));
  return acceptedTokens;
}

/** Compares the answers of the frontend API, with one token of each scope. */
async function compareFrontendAnswers(run: Run, tokens: readonly Token[]): Promise<void> {
  const { source, target, holdings, appNames, samplers, verification } = run;
  const randomNames = randomFlags(holdings);
  const scopes = tokenScopesOf(tokens, 'frontend');
  for (const scope of scopes.slice(0, FRONTEND_SCOPES_MAX)) {
    const [token] = scope.tokens as readonly [Token];
    const sampler = samplers.get(scope.environment) ?? new ContextSampler([], holdings, appNames);
    const { answers, differences } = await frontendDifferences({ source, target, sampler, randomNames }, token);
    verification.frontendAnswers += answers;
    for (const difference of differences) report(run, `${nameOf(token)}: ${difference}`);
  }
  for (const scope of scopes.slice(FRONTEND_SCOPES_MAX))
    verification.uncompared.push(`frontend API of ${scopeText(scope)}`);
}

const REFUSED_BY_TARGET = 'the source accepts it, but the target does not';

function nameOf({ tokenName, type, environment }: Token): string {
  return `${type === 'client' ? '' : `${type} `}token ${tokenName} (${environment})`;
}

/** Compares the lists of both sides for the token. Resolves with their ETags, or with undefined if one side refuses the token, which is reported. */
async function compareLists(
  run: Run,
  token: Token,
): Promise<Pick<OtherToken, 'sourceEtag' | 'targetEtag'> | undefined> {
  const { verification, source, target, holdings, appNames } = run;
  const [sourceList, targetList] = await Promise.all([
    readSdkList(source, token.secret),
    readSdkList(target, token.secret),
  ]);
  const name = nameOf(token);
  if (sourceList === undefined) return void report(run, `${name}: the source does not accept it`);
  if (targetList === undefined) return void report(run, `${name}: ${REFUSED_BY_TARGET}`);
  verification.lists++;
  verification.flags += sourceList.flags.size;
  const sampler = new ContextSampler([sourceList, targetList], holdings, appNames);
  if (!run.samplers.has(token.environment)) run.samplers.set(token.environment, sampler);
  evaluateBoth(run, { sourceList, targetList, name }, sampler, token);
  return { sourceEtag: sourceList.etag, targetEtag: targetList.etag };
}

interface Both {
  readonly sourceList: SdkList;
  readonly targetList: SdkList;
  readonly name: string;
}

function evaluateBoth(run: Run, both: Both, sampler: ContextSampler, { environment }: Token): void {
  const { sourceList, targetList, name } = both;
  // Flags of both lists are compared: for an SDK, a flag that is not in its list is off.
  const flags = new Set([...sourceList.flags.keys(), ...targetList.flags.keys()]);
  const different = new Set<string>();
  for (let index = 0; index < CONTEXTS; index++) {
    const { context, asText } = sampler.next(environment);
    for (const flag of flags) {
      run.verification.evaluations++;
      const [sourceAnswer, targetAnswer] = [sourceList.answer(flag, context), targetList.answer(flag, context)];
      if (sourceAnswer === targetAnswer || different.has(flag)) continue;
      different.add(flag);
      const reason = reasonOf(both, flag) ?? 'the definitions are the same';
      report(
        run,
        `${name}: ${flag} is "${sourceAnswer}" in the source and "${targetAnswer}" in the target for ${asText}: ${reason}`,
      );
    }
  }
  for (const flag of flags) {
    const reason = different.has(flag) ? undefined : reasonOf(both, flag);
    if (reason !== undefined)
      reportSameAnswers(run, `${name}: ${flag} has different definitions, but gave the same answers: ${reason}`);
  }
}

function report({ verification, say }: Run, difference: string): void {
  verification.differences++;
  say(`  ${difference}`);
}

function reportSameAnswers({ verification, say }: Run, what: string): void {
  verification.sameAnswersOnly++;
  say(`  ${what}`);
}

/** The parts in which the two definitions of the flag differ, as text. Undefined if they do not differ. */
function reasonOf({ sourceList, targetList }: Both, name: string): string | undefined {
  const [sourceFlag, targetFlag] = [sourceList.flags.get(name), targetList.flags.get(name)];
  if (!targetFlag)
    return 'the target does not send it: it was deleted in the target, or its project does not have the environment in the target';
  if (!sourceFlag) return 'only the target sends it';
  const differs: string[] = [];
  const [targetParts, sourceParts] = [meaningOf(targetList, targetFlag), meaningOf(sourceList, sourceFlag)];
  for (const part of Object.keys(targetParts) as (keyof typeof targetParts)[]) {
    if (isDeepStrictEqual(targetParts[part], sourceParts[part])) continue;
    differs.push(
      `${part} ${shortened(sourceParts[part])} in the source, ${shortened(targetParts[part])} in the target`,
    );
  }
  return differs.length === 0 ? undefined : differs.join('; ');
}

function shortened(value: unknown): string {
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
    dependencies: distinctDependencies(dependencies),
  };
}

/** The distinct dependencies, sorted, because Unleash sends some more than once and in any order. */
function distinctDependencies(dependencies: FlagDefinition['dependencies']): readonly string[] {
  return [
    ...new Set(dependencies.map((each) => JSON.stringify([each.feature, each.enabled, [...each.variants].sort()]))),
  ].sort();
}

function plainCondition(sent: unknown): unknown {
  if (Array.isArray(sent)) return sent.map(plainCondition);
  const { contextName, operator, values, value, inverted, caseInsensitive } = object(sent);
  if (contextName === undefined) return sent;
  const valueList = Array.isArray(values) ? values : [];
  return {
    contextName,
    operator,
    values: valueList,
    value: value ?? '',
    inverted: inverted === true,
    caseInsensitive: caseInsensitive === true,
  };
}

/** The summary for the user, after all differences. */
export function verificationText(verification: Verification): string {
  const {
    lists,
    frontendAnswers,
    acceptedTokens,
    flags,
    evaluations,
    differences,
    sameAnswersOnly,
    settings,
    uncheckedTokens,
    uncompared,
    environmentsWithoutToken,
  } = verification;
  const lines = [
    `Compared the lists of SDKs for ${lists} scopes of tokens: ${flags} flags, ${evaluations} evaluations, ${differences} differences.`,
    `Compared ${frontendAnswers} answers of the frontend API.`,
    `${acceptedTokens} more tokens are accepted by source and target.`,
    `Compared ${settings} other items: lifetimes of flag types, frontend origins, banners, environments with reviews, favourites.`,
  ];
  if (sameAnswersOnly > 0)
    lines.push(
      `${sameAnswersOnly} flags have different definitions, but gave the same answers. They are listed above.`,
    );
  if (uncheckedTokens > 0) lines.push(`${uncheckedTokens} tokens were not tried, or the source does not accept them.`);
  if (uncompared.length > 0) lines.push(`Not compared, although there are tokens: ${uncompared.join('; ')}.`);
  if (environmentsWithoutToken.length > 0)
    lines.push(`Not compared, because there is no client token: ${environmentsWithoutToken.join(', ')}.`);
  return `${lines.join('\n')}\n`;
}
