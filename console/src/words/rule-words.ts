import { rules as words } from './en/rules.ts';

/** What a sentence about a strategy is made from: the fields of the API's strategies that decide. */
export interface RuleStrategy {
  readonly name: string;
  readonly title?: string | null | undefined;
  readonly disabled?: boolean | null | undefined;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly constraints?: readonly RuleConstraint[] | undefined;
  /** Names of its segments. */
  readonly segments?: readonly string[] | undefined;
}

export interface RuleConstraint {
  readonly contextName: string;
  readonly operator: string;
  readonly inverted?: boolean | undefined;
  readonly caseInsensitive?: boolean | undefined;
  readonly values?: readonly string[] | undefined;
  readonly value?: string | undefined;
}

export interface RulePart {
  readonly text: string;
  /** A value or a name is shown in monospace. */
  readonly isValue: boolean;
}

const SIGNS = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳';

/** What sentences, cards and explanations call the strategy at this place among all of an environment. */
export const ruleSign = (index: number) => SIGNS[index] ?? `(${index + 1})`;

/** Longer lists are cut: the text of the part says how many more there are. */
const VALUES_SHOWN = 5;

const word = (text: string): RulePart => ({ text, isValue: false });
const value = (text: string): RulePart => ({ text, isValue: true });

const conditionsOf = (strategy: RuleStrategy) =>
  [
    baseParts(strategy),
    ...(strategy.constraints ?? []).map(constraintParts),
    ...(strategy.segments ?? []).map((name) => [word(words.inSegment), value(name)]),
  ].filter((parts) => parts.length > 0);

/** Whether a flag that is on is on for everyone by this strategy alone. */
export const isForEveryone = (strategy: RuleStrategy) => !strategy.disabled && conditionsOf(strategy).length === 0;

/** "25 % by userId and country in (NO, SE)". */
export function ruleParts(strategy: RuleStrategy): readonly RulePart[] {
  const conditions = conditionsOf(strategy);
  if (conditions.length === 0) return [word(words.everyone)];
  return conditions.flatMap((parts, at) => (at === 0 ? parts : [word(words.and), ...parts]));
}

/** The same as one text, for titles, screen readers and differences. */
export function ruleText(strategy: RuleStrategy): string {
  return textOf(ruleParts(strategy));
}

export function constraintText(constraint: RuleConstraint): string {
  return textOf(constraintParts(constraint));
}

function textOf(parts: readonly RulePart[]): string {
  return parts.map(({ text }) => text).join(' ');
}

/** What the strategy itself asks. Empty when it asks nothing: the default strategy, or 100 %. */
function baseParts({ name, parameters = {} }: RuleStrategy): readonly RulePart[] {
  const list = (parameter: string) => listParts(splitList(parameters[parameter] ?? ''));
  switch (name) {
    case 'default':
      return [];
    case 'flexibleRollout':
      return rolloutParts(parameters.rollout, parameters.stickiness || 'default');
    case 'gradualRolloutUserId':
      return rolloutParts(parameters.percentage, 'userId');
    case 'gradualRolloutSessionId':
      return rolloutParts(parameters.percentage, 'sessionId');
    case 'gradualRolloutRandom':
      return rolloutParts(parameters.percentage, 'random');
    case 'userWithId':
      return [value('userId'), word(words.in), ...list('userIds')];
    case 'remoteAddress':
      return [value('remoteAddress'), word(words.in), ...list('IPs')];
    case 'applicationHostname':
      return [word(words.hostname), word(words.in), ...list('hostNames')];
    default:
      return customParts(name, parameters);
  }
}

function rolloutParts(percentage: string | undefined, stickiness: string): readonly RulePart[] {
  const share = Number(percentage);
  if (percentage === undefined || percentage === '' || Number.isNaN(share)) return [word(words.noPercentage)];
  if (share >= 100) return [];
  if (share <= 0) return [word(words.none)];
  if (stickiness === 'random') return [value(words.percent(share)), word(words.atRandom)];
  if (stickiness === 'default') return [value(words.percent(share)), word(words.byDefault)];
  return [value(words.percent(share)), word(words.by), value(stickiness)];
}

function customParts(name: string, parameters: Readonly<Record<string, string>>): readonly RulePart[] {
  const given = Object.entries(parameters).filter(([, text]) => text !== '');
  const texts = given.map(([key, text]) => `${key}: ${text}`);
  return [word(words.custom), value(name), ...(texts.length > 0 ? listParts(texts) : [])];
}

function constraintParts(constraint: RuleConstraint): readonly RulePart[] {
  const {
    contextName,
    operator,
    inverted = false,
    caseInsensitive = false,
    values = [],
    value: single = '',
  } = constraint;
  const isList = /^(NOT_IN|IN|IN_CIDR|STR_.*)$/.test(operator);
  const phrases = words.operators[operator] ?? { plain: operator, inverted: `${words.not} ${operator}` };
  // A field that is not chosen yet.
  const parts = [value(contextName || '…'), word(inverted ? phrases.inverted : phrases.plain)];
  if (isList) parts.push(...listParts(values));
  else parts.push(value(single));
  if (caseInsensitive && (operator.startsWith('STR_') || operator === 'REGEX')) parts.push(word(words.ignoringCase));
  return parts;
}

function listParts(values: readonly string[]): RulePart[] {
  const shown = values.slice(0, VALUES_SHOWN);
  const more = values.length - shown.length;
  const texts = more > 0 ? [...shown, words.more(more)] : shown;
  // A list that is still empty is not finished.
  if (values.length === 0) return [word('…')];
  return [value(values.length === 1 ? (values[0] ?? '') : `(${texts.join(', ')})`)];
}

function splitList(text: string): readonly string[] {
  return text.split(',').flatMap((entry) => entry.trim() || []);
}
