import { numberText } from '../number-text.ts';

interface Phrases {
  readonly plain: string;
  readonly inverted: string;
}

const OPERATORS: Readonly<Record<string, Phrases>> = {
  IN: { plain: 'in', inverted: 'not in' },
  NOT_IN: { plain: 'not in', inverted: 'in' },
  STR_CONTAINS: { plain: 'contains', inverted: 'does not contain' },
  STR_STARTS_WITH: { plain: 'starts with', inverted: 'does not start with' },
  STR_ENDS_WITH: { plain: 'ends with', inverted: 'does not end with' },
  NUM_EQ: { plain: '=', inverted: '≠' },
  NUM_GT: { plain: '>', inverted: 'not >' },
  NUM_GTE: { plain: '≥', inverted: 'not ≥' },
  NUM_LT: { plain: '<', inverted: 'not <' },
  NUM_LTE: { plain: '≤', inverted: 'not ≤' },
  DATE_AFTER: { plain: 'is after', inverted: 'is not after' },
  DATE_BEFORE: { plain: 'is before', inverted: 'is not before' },
  SEMVER_EQ: { plain: 'is version', inverted: 'is not version' },
  SEMVER_GT: { plain: 'is newer than', inverted: 'is not newer than' },
  SEMVER_LT: { plain: 'is older than', inverted: 'is not older than' },
  SEMVER_GTE: { plain: 'is at least version', inverted: 'is not at least version' },
  SEMVER_LTE: { plain: 'is at most version', inverted: 'is not at most version' },
  REGEX: { plain: 'matches', inverted: 'does not match' },
  IN_CIDR: { plain: 'in network', inverted: 'not in network' },
};

/** Words of sentences about strategies. */
export const rules = {
  operators: OPERATORS,
  everyone: 'everyone',
  none: 'no one (0 %)',
  noPercentage: 'no one: its percentage is missing',
  and: 'and',
  not: 'not',
  in: 'in',
  by: 'by',
  byDefault: 'by user or session',
  atRandom: 'at random',
  inSegment: 'in segment',
  hostname: 'host name',
  custom: 'custom strategy',
  ignoringCase: 'ignoring case',
  percent: (share: number) => numberText(share / 100, 'percent'),
  more: (count: number) => `+${numberText(count)}`,
  onIfAny: 'ON if any of:',
  onIf: 'ON if',
  onFor: 'ON for',
  /** An environment without strategies, or with disabled ones only. */
  onWithoutStrategies: 'ON for everyone: it has no strategies',
  off: 'OFF',
  offWhenOn: 'OFF. When it is switched on, it is ON for:',
  offAllDisabled: 'OFF: all of its strategies are off',
  disabled: 'off',
  variants: (names: string) => `Variants: ${names}`,
};
