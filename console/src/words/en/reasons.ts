import type { components } from '../../api/schema.d.ts';
import { type Context, fieldsOf } from '../../domain/contexts.ts';
import { numberText } from '../number-text.ts';
import { constraintText, ruleSign } from '../rule-words.ts';
import { playground } from './playground.ts';

const words = playground.explain;

/** What the playground and previews answer for a context. */
export type Evaluated = NonNullable<components['schemas']['previewedFlag']['examples'][number]['after']>;
type Verdict = Evaluated['strategies']['data'][number];

const isTrue = ({ disabled, result }: Verdict) => disabled !== true && result.enabled === true;

/** Where the context is in the rollout that decides, if one does. */
export function positionOf({ isEnabled, isEnabledInCurrentEnvironment, strategies }: Evaluated): string | undefined {
  const { data } = strategies;
  const deciding = isEnabled ? data.find(isTrue) : data.length === 1 ? data[0] : undefined;
  const areOthersTrue = [...(deciding?.constraints ?? []), ...(deciding?.segments ?? [])].every(({ result }) => result);
  if (!isEnabledInCurrentEnvironment || !deciding?.rollout || deciding.disabled || !areOthersTrue) return undefined;
  const { position, percentage } = deciding.rollout;
  return percentage < 100 ? words.position(position, numberText(percentage)) : undefined;
}

/** Why, in one sentence. */
export function reasonOf(
  result: Pick<Evaluated, 'isEnabled' | 'isEnabledInCurrentEnvironment' | 'hasUnsatisfiedDependency' | 'strategies'>,
  environment: string,
): string {
  const { data } = result.strategies;
  if (!result.isEnabledInCurrentEnvironment) return words.offEnvironment(environment);
  if (result.hasUnsatisfiedDependency) return words.offDependency;
  if (result.strategies.result === 'unknown') return words.unknown;
  if (!result.isEnabled)
    return data.length > 0 && data.every(({ disabled }) => disabled) ? words.offDisabled : words.offStrategies;
  const first = data.findIndex(isTrue);
  if (first === -1) return words.onNoStrategies(environment);
  return data.length > 1 ? words.on(ruleSign(first)) : words.onOnly;
}

/** What kept the only strategy from being true for the context: the first condition that is false, or the rollout. */
function missedBy(result: Evaluated, context: Context): string | undefined {
  const [{ constraints, segments } = { constraints: [], segments: [] }] = result.strategies.data;
  const constraint = constraints.find((one) => !one.result);
  if (constraint) {
    const given = fieldsOf(context).find(({ name }) => name === constraint.contextName)?.value;
    return `${constraintText(constraint)} (${given === undefined ? words.notGiven : words.given(given)})`;
  }
  const segment = segments.find((one) => !one.result);
  return segment ? words.segment(segment.name) : positionOf(result);
}

/** Why it is off, in a few words: empty where the result says it, or only all conditions do. */
export function offBecause(result: Evaluated, context: Context): string {
  const { data, result: outcome } = result.strategies;
  if (result.isEnabled || outcome === 'unknown') return '';
  if (!result.isEnabledInCurrentEnvironment) return words.offHere;
  if (result.hasUnsatisfiedDependency) return words.byParent;
  if (data.every(({ disabled }) => disabled)) return words.allDisabled;
  return (data.length === 1 ? missedBy(result, context) : undefined) ?? words.noneTrue(data.length);
}
