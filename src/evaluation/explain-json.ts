import type { Work } from '../base/work.ts';
import type { Constraint } from '../model/constraint.ts';
import type { Strategy } from '../model/strategy.ts';
import type { CompiledFlag } from './compile.ts';
import { ask } from './condition.ts';
import type { EvaluationContext } from './context.ts';
import { STRATEGY_RESULTS, type StrategyVerdict } from './judge.ts';
import type { CompiledSegment, SegmentDefinition } from './segment.ts';
import { TextCache } from './text-cache.ts';

/** What an explanation says of a definition whatever the context is: texts that end where a result is to follow. */
interface StrategyTexts {
  readonly head: string;
  readonly constraints: readonly string[];
  /** As it stands in a query. */
  readonly id: string;
  readonly variants: string;
}

interface SegmentTexts {
  readonly head: string;
  readonly constraints: readonly string[];
}

const strategyTexts = new TextCache<Strategy, StrategyTexts>();
const segmentTexts = new TextCache<SegmentDefinition, SegmentTexts>();

const RESULT_JSON = new Map(STRATEGY_RESULTS.map((result) => [result, JSON.stringify(result)]));

/** Whether each constraint of each segment of the strategy holds. */
type SegmentResults = readonly (readonly boolean[])[];

const NO_SEGMENTS: SegmentResults = Object.freeze([]);

/**
 * One entry of the playground's `strategies.data` as JSON, and its link: in one go, for a flag that is light. `editPage` is the link's text
 * up to the strategy's id; it must need no escaping in JSON.
 */
export function verdictJsonAtOnce(verdict: StrategyVerdict, context: EvaluationContext, editPage: string): string {
  const { segments } = verdict.strategy;
  if (segments.length === 0) return verdictJson(verdict, NO_SEGMENTS, editPage);
  const results = segments.map(({ constraints }) => constraints.map(({ test }) => test(context)));
  return verdictJson(verdict, results, editPage);
}

/** The same in counted steps, whatever the strategy is. */
export function* strategyVerdictJson(
  verdict: StrategyVerdict,
  context: EvaluationContext,
  editPage: string,
): Work<string> {
  const results: boolean[][] = [];
  for (const { constraints } of verdict.strategy.segments) {
    const ofSegment: boolean[] = [];
    for (const constraint of constraints) ofSegment.push(yield* ask(constraint, context));
    results.push(ofSegment);
  }
  const json = verdictJson(verdict, results, editPage);
  yield json.length * WORK_PER_CHAR;
  return json;
}

/** Texts are written out once and copied after that; counted as if they were written every time. */
export const WORK_PER_CHAR = 0.2;

function verdictJson(
  { strategy, conditions, result, variant }: StrategyVerdict,
  inSegments: SegmentResults,
  editPage: string,
) {
  const { definition, segments } = strategy;
  const texts = strategyTexts.get(definition, describeStrategy);
  const outcome = RESULT_JSON.get(result) as string;
  let json =
    variant === null
      ? `${texts.head}${outcome},"constraints":[`
      : `${texts.head}${outcome.slice(0, -1)},"variant":${variant.variantJson},"variants":${texts.variants}},"constraints":[`;
  for (let index = 0; index < texts.constraints.length; index++) {
    json += withResult(texts.constraints, index, conditions[index] === true);
  }
  json += '],"segments":[';
  for (let index = 0; index < segments.length; index++) {
    if (index > 0) json += ',';
    const holds = conditions[definition.constraints.length + index] === true;
    json += segmentJson(segments[index] as CompiledSegment, holds, inSegments[index] as readonly boolean[]);
  }
  return `${json}],"links":{"edit":"${editPage}${texts.id}"}}`;
}

function segmentJson({ definition }: CompiledSegment, holds: boolean, results: readonly boolean[]): string {
  const texts = segmentTexts.get(definition, describeSegment);
  let json = `${texts.head}${holds},"constraints":[`;
  for (let index = 0; index < results.length; index++) {
    json += withResult(texts.constraints, index, results[index] === true);
  }
  return `${json}]}`;
}

/** About how many characters `strategyVerdictJson` comes to for all strategies of a flag, in counted steps. */
export function* explanationLength({ strategies }: CompiledFlag): Work<number> {
  let length = 0;
  for (const { definition, segments } of strategies) {
    const before = length;
    const texts = strategyTexts.get(definition, describeStrategy);
    // The variant that is chosen is told once more.
    length += textLength(texts) + 2 * texts.variants.length;
    for (const segment of segments) length += textLength(segmentTexts.get(segment.definition, describeSegment));
    yield (length - before) * WORK_PER_CHAR;
  }
  return length;
}

/** `,"result":false}` and what stands around a strategy. */
const AROUND_CONSTRAINT = 16;
const AROUND_TEXTS = 200;

function textLength({ head, constraints }: StrategyTexts | SegmentTexts): number {
  let length = AROUND_TEXTS + head.length;
  for (const text of constraints) length += text.length + AROUND_CONSTRAINT;
  return length;
}

function withResult(texts: readonly string[], index: number, result: boolean): string {
  return (index > 0 ? ',' : '') + texts[index] + (result ? 'true}' : 'false}');
}

function describeStrategy({ id, name, title, disabled, parameters, constraints, variants }: Strategy): StrategyTexts {
  const head = { id, name, ...(title !== null && { title }), disabled, parameters };
  const texts = { head: upToResult(head), constraints: constraints.map(upToResult) };
  return { ...texts, id: encodeURIComponent(id), variants: JSON.stringify(variants) };
}

function describeSegment({ id, name, constraints }: SegmentDefinition): SegmentTexts {
  return { head: upToResult({ id, name }), constraints: constraints.map(upToResult) };
}

/** `{…,"result":` */
function upToResult(value: Constraint | object): string {
  return JSON.stringify({ ...value, result: 0 }).slice(0, -2);
}
