import type { Work } from '../base/work.ts';
import type { Constraint } from '../model/constraint.ts';
import type { Strategy } from '../model/strategy.ts';
import type { CompiledFlag } from './compile.ts';
import { ask, type Question } from './condition.ts';
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
}

interface SegmentTexts {
  readonly head: string;
  readonly constraints: readonly string[];
}

const strategyTexts = new TextCache<Strategy, StrategyTexts>();
const segmentTexts = new TextCache<SegmentDefinition, SegmentTexts>();

const RESULT_JSON = new Map(STRATEGY_RESULTS.map((result) => [result, JSON.stringify(result)]));

/**
 * One entry of the playground's `strategies.data` as JSON, and its link, in counted steps. `editPage` is the link's text up to the strategy's
 * id; it must need no escaping in JSON.
 */
export function* strategyVerdictJson(
  { strategy, conditions, result }: StrategyVerdict,
  context: EvaluationContext,
  editPage: string,
): Work<string> {
  const { definition, segments } = strategy;
  const texts = strategyTexts.get(definition, describeStrategy);
  let json = `${texts.head}${RESULT_JSON.get(result)},"constraints":[`;
  for (let index = 0; index < texts.constraints.length; index++) {
    json += withResult(texts.constraints, index, conditions[index] === true);
  }
  json += '],"segments":[';
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index] as CompiledSegment;
    if (index > 0) json += ',';
    json += yield* segmentJson(segment, conditions[definition.constraints.length + index] === true, context);
  }
  yield json.length * WORK_PER_CHAR;
  return `${json}],"links":{"edit":"${editPage}${texts.id}"}}`;
}

/** Texts are written out once and copied after that; counted as if they were written every time. */
const WORK_PER_CHAR = 0.2;

function* segmentJson(
  { definition, constraints }: CompiledSegment,
  result: boolean,
  context: EvaluationContext,
): Work<string> {
  const texts = segmentTexts.get(definition, describeSegment);
  let json = `${texts.head}${result},"constraints":[`;
  for (let index = 0; index < constraints.length; index++) {
    json += withResult(texts.constraints, index, yield* ask(constraints[index] as Question, context));
  }
  return `${json}]}`;
}

/** About how many characters `strategyVerdictJson` comes to for all strategies of a flag, in counted steps. */
export function* explanationLength({ strategies }: CompiledFlag): Work<number> {
  let length = 0;
  for (const { definition, segments } of strategies) {
    const before = length;
    length += textLength(strategyTexts.get(definition, describeStrategy));
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

function describeStrategy({ id, name, title, disabled, parameters, constraints }: Strategy): StrategyTexts {
  const head = { id, name, ...(title !== null && { title }), disabled, parameters };
  return { head: upToResult(head), constraints: constraints.map(upToResult), id: encodeURIComponent(id) };
}

function describeSegment({ id, name, constraints }: SegmentDefinition): SegmentTexts {
  return { head: upToResult({ id, name }), constraints: constraints.map(upToResult) };
}

/** `{…,"result":` */
function upToResult(value: Constraint | object): string {
  return JSON.stringify({ ...value, result: 0 }).slice(0, -2);
}
