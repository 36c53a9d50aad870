import type { VariantPayload } from '../model/variant.ts';
import type { CompiledFlag } from './compile.ts';
import { parameter } from './rollout.ts';
import type { ActiveStrategy } from './strategy.ts';
import { ON, type Resolution } from './variant.ts';

/** Why a flag has its value, in OpenFeature's terms. */
type Reason = 'DISABLED' | 'DEFAULT' | 'STATIC' | 'SPLIT' | 'TARGETING_MATCH';

/**
 * One evaluation in OpenFeature's Remote Evaluation Protocol, as JSON: an `evaluationSuccess`, or an `evaluationFailure` when there is a
 * `payloadProblem`. `end`: see `endOfEvaluation`.
 */
export function openFeatureJson(flag: CompiledFlag, resolution: Resolution, end: string): string {
  return evaluationAfterComma(flag, resolution, end).slice(1);
}

/** Same as `openFeatureJson`, with a comma before it, as an item of a list. All but the end is created once for each flag and answer. */
export function evaluationAfterComma(flag: CompiledFlag, resolution: Resolution, end: string): string {
  flag.openFeatureTexts ??= new Map();
  let text = flag.openFeatureTexts.get(resolution);
  if (text === undefined) {
    // The last two characters end the metadata and the evaluation.
    text = `,${evaluationText(flag, resolution).slice(0, -2)}`;
    flag.openFeatureTexts.set(resolution, text);
  }
  return text + end;
}

/** The set of flags that an answer is from, as OpenFeature names it in metadata and traces: the environment, and its revision. */
export interface FlagSet {
  readonly flagSetId: string;
  readonly version: string;
}

/** The end of every evaluation of one answer: the part of the metadata that is the same for all flags. */
export function endOfEvaluation(set: FlagSet): string {
  return `,${JSON.stringify(set).slice(1)}}`;
}

/** The reason why the payload of the variant does not match its type; undefined when it matches or there is no payload. */
export function payloadProblem({ variant: { payload } }: Resolution): string | undefined {
  return payload === undefined || payloadText(payload) !== null ? undefined : `The payload is not ${payload.type}.`;
}

function evaluationText(flag: CompiledFlag, resolution: Resolution): string {
  const { name: key, impressionData } = flag;
  const { on, variant } = resolution;
  const { payload } = variant;
  const payloadType = payload && { payloadType: payload.type };
  const metadata = { featureEnabled: on, impressionData, ...payloadType };
  const value = payload === undefined ? String(on) : payloadText(payload);
  if (value === null) {
    return JSON.stringify({ key, errorCode: 'PARSE_ERROR', errorDetails: payloadProblem(resolution), metadata });
  }
  const rest = {
    reason: reasonOf(flag, resolution),
    variant: variant.enabled ? variant.name : on ? 'on' : 'off',
    metadata,
  };
  // A flag with payloads has no value of its type while it is off: without a value, providers return the default value of the application.
  const valueText = !on && flag.hasPayloads ? '' : `"value":${value},`;
  return `{"key":${JSON.stringify(key)},${valueText}${JSON.stringify(rest).slice(1)}`;
}

/** The payload as JSON; null when its text does not match the type. A JSON payload is copied unchanged, however deep it is. */
export function payloadText({ type, value }: VariantPayload): string | null {
  if (type === 'number') {
    const number = value.trim() === '' ? Number.NaN : Number(value);
    return Number.isFinite(number) ? String(number) : null;
  }
  if (type !== 'json') return JSON.stringify(value);
  try {
    JSON.parse(value);
    return value;
  } catch {
    return null;
  }
}

/** With several strategies it is not known which one was satisfied: the reason is SPLIT or STATIC only if it applies to all of them. */
function reasonOf(flag: CompiledFlag, resolution: Resolution): Reason {
  if (!flag.enabled) return 'DISABLED';
  if (!resolution.on) return 'DEFAULT';
  if (resolution !== ON && resolution.isChosenByWeight) return 'SPLIT';
  if (flag.dependencies.length > 0) return 'TARGETING_MATCH';
  const [first] = flag.active;
  if (first === undefined || shareOf(first) === 'all') return 'STATIC';
  return flag.active.every((strategy) => shareOf(strategy) !== 'selected') ? 'SPLIT' : 'TARGETING_MATCH';
}

/** Name of a rollout strategy → the parameter that contains its percentage. */
const PERCENTAGE_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['flexibleRollout', 'rollout'],
  ['gradualRolloutUserId', 'percentage'],
  ['gradualRolloutSessionId', 'percentage'],
  ['gradualRolloutRandom', 'percentage'],
]);

/** The contexts that the strategy includes: all, a percentage of all (`some`), or the contexts that its rules select. */
function shareOf({ definition, conditions }: ActiveStrategy): 'all' | 'some' | 'selected' {
  if (conditions.length > 0) return 'selected';
  if (definition.name === 'default') return 'all';
  const parameterName = PERCENTAGE_PARAMETERS.get(definition.name);
  if (parameterName === undefined) return 'selected';
  return definition.name === 'flexibleRollout' && parameter(definition.parameters, parameterName) === '100'
    ? 'all'
    : 'some';
}
