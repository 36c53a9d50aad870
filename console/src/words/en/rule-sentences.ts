import type { EnvironmentSettings, StrategyDraft } from '../../domain/model.ts';
import { constraintText, type RuleStrategy, ruleText } from '../rule-words.ts';

/** Names between backticks are shown in monospace. */

export type SegmentNames = ReadonlyMap<number, string>;

const SHOWN_VALUES = 4;
const code = (text: string) => `\`${text.replaceAll('`', "'")}\``;

/** `(NO, SE, FI, DK and 12 more)` */
export function listWords(values: readonly string[]): string {
  if (values.length === 1) return code(values[0] ?? '');
  const shown = values.slice(0, SHOWN_VALUES).map(code).join(', ');
  return values.length > SHOWN_VALUES ? `(${shown} and ${values.length - SHOWN_VALUES} more)` : `(${shown})`;
}

export const constraintWords = constraintText;

/** A strategy as the kit's sentences take it: with the names of its segments. */
export const asRule = (strategy: StrategyDraft, segments: SegmentNames): RuleStrategy => ({
  ...strategy,
  segments: strategy.segments.map((id) => segments.get(id) ?? `#${id}`),
});

export const strategyWords = (strategy: StrategyDraft, segments: SegmentNames) => ruleText(asRule(strategy, segments));

/** A short name to speak of a strategy: its title, or what it does. */
export const strategyName = (strategy: StrategyDraft, segments: SegmentNames) =>
  strategy.title ? `“${strategy.title}”` : `“${strategyWords(strategy, segments)}”`;

export const rulesOf = (settings: EnvironmentSettings, segments: SegmentNames) =>
  settings.strategies.map((strategy) => asRule(strategy, segments));
