import type { Constraint, EnvironmentSettings, Operator, StrategyDraft } from '../../domain/model.ts';

/** Names between backticks are shown in monospace. */

export const operatorWords: Readonly<Record<Operator, { readonly is: string; readonly isNot: string }>> = {
  IN: { is: 'is one of', isNot: 'is none of' },
  NOT_IN: { is: 'is none of', isNot: 'is one of' },
  STR_STARTS_WITH: { is: 'starts with', isNot: 'does not start with' },
  STR_ENDS_WITH: { is: 'ends with', isNot: 'does not end with' },
  STR_CONTAINS: { is: 'contains', isNot: 'does not contain' },
  NUM_EQ: { is: '=', isNot: '≠' },
  NUM_GT: { is: '>', isNot: 'is not >' },
  NUM_GTE: { is: '≥', isNot: 'is not ≥' },
  NUM_LT: { is: '<', isNot: 'is not <' },
  NUM_LTE: { is: '≤', isNot: 'is not ≤' },
  DATE_AFTER: { is: 'is after', isNot: 'is not after' },
  DATE_BEFORE: { is: 'is before', isNot: 'is not before' },
  SEMVER_EQ: { is: '= version', isNot: '≠ version' },
  SEMVER_GT: { is: '> version', isNot: 'is not > version' },
  SEMVER_GTE: { is: '≥ version', isNot: 'is not ≥ version' },
  SEMVER_LT: { is: '< version', isNot: 'is not < version' },
  SEMVER_LTE: { is: '≤ version', isNot: 'is not ≤ version' },
  REGEX: { is: 'matches', isNot: 'does not match' },
  IN_CIDR: { is: 'is in the network', isNot: 'is not in the network' },
};

const SHOWN_VALUES = 4;
const code = (text: string) => `\`${text.replaceAll('`', "'")}\``;

/** `(NO, SE, FI, DK and 12 more)` */
export function listWords(values: readonly string[]): string {
  if (values.length === 1) return code(values[0] ?? '');
  const shown = values.slice(0, SHOWN_VALUES).map(code).join(', ');
  return values.length > SHOWN_VALUES ? `(${shown} and ${values.length - SHOWN_VALUES} more)` : `(${shown})`;
}

export function constraintWords(constraint: Constraint): string {
  const words = operatorWords[constraint.operator];
  const values = constraint.values?.length ? constraint.values : [constraint.value ?? ''];
  const blind = constraint.caseInsensitive ? ' (any case)' : '';
  return `${code(constraint.contextName)} ${constraint.inverted ? words.isNot : words.is} ${listWords(values)}${blind}`;
}

const PARAMETER_LISTS: Readonly<Record<string, readonly [string, string]>> = {
  userWithId: ['userIds', 'userId'],
  remoteAddress: ['IPs', 'remoteAddress'],
  applicationHostname: ['hostNames', 'host name'],
};

/** Who a strategy reaches by its kind alone, without constraints; null if everybody. */
function audienceWords({ name, parameters }: StrategyDraft): string | null {
  if (name === 'default') return null;
  if (name === 'flexibleRollout') {
    const rollout = Number(parameters.rollout ?? 100);
    if (rollout === 100) return null;
    const by = parameters.stickiness ?? 'default';
    const basis = by === 'default' ? 'by `userId` or session' : by === 'random' ? 'at random' : `by ${code(by)}`;
    return `${rollout} % ${basis}`;
  }
  const list = PARAMETER_LISTS[name];
  if (list) {
    const values = (parameters[list[0]] ?? '').split(',').map((value) => value.trim()).filter(Boolean);
    return `${code(list[1])} is one of ${listWords(values)}`;
  }
  const gradual = { gradualRolloutUserId: '`userId`', gradualRolloutSessionId: '`sessionId`', gradualRolloutRandom: 'chance' }[name];
  if (gradual) return `${parameters.percentage ?? 0} % by ${gradual}`;
  const pairs = Object.entries(parameters).map(([key, value]) => `${key} = ${code(value)}`);
  return `${code(name)}${pairs.length ? ` with ${pairs.join(', ')}` : ''}`;
}

export type SegmentNames = ReadonlyMap<number, string>;

/** `25 % by userId and country is one of (NO, SE)` */
export function strategyWords(strategy: StrategyDraft, segments: SegmentNames): string {
  const parts = [
    audienceWords(strategy),
    ...strategy.segments.map((id) => `in segment ${code(segments.get(id) ?? `#${id}`)}`),
    ...strategy.constraints.map(constraintWords),
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'everybody' : parts.join(' and ');
}

/** A short name to speak of a strategy: its title, or what it does. */
export const strategyName = (strategy: StrategyDraft, segments: SegmentNames) =>
  strategy.title ? `“${strategy.title}”` : strategyWords(strategy, segments);

const NUMBERS = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳';
export const numberMark = (index: number) => NUMBERS[index] ?? `(${index + 1})`;

export interface RuleWords {
  readonly lead: string;
  readonly parts: readonly string[];
}

/** The whole rule of an environment. Disabled strategies are left out, because SDKs do not get them. */
export function ruleWords(settings: EnvironmentSettings, segments: SegmentNames): RuleWords {
  if (!settings.enabled) return { lead: 'OFF for everybody', parts: [] };
  const active = settings.strategies.filter(({ disabled }) => !disabled);
  if (active.length === 0) {
    return settings.strategies.length === 0
      ? { lead: 'ON for everybody', parts: [] }
      : { lead: 'OFF for everybody: all strategies are disabled', parts: [] };
  }
  const parts = active.map((strategy) => strategyWords(strategy, segments));
  if (parts.includes('everybody')) return { lead: 'ON for everybody', parts: active.length > 1 ? parts : [] };
  return parts.length === 1 ? { lead: `ON if ${parts[0]}`, parts: [] } : { lead: 'ON if any of:', parts };
}
