import type { Work } from '../../base/work.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { verdictJson, WORK_PER_CHAR } from '../../evaluation/explain-json.ts';
import { type FlagVerdict, judge } from '../../evaluation/judge.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';

/** One evaluated flag as both playgrounds present it. */
interface PresentedEvaluation {
  /** The fields of both playgrounds, as JSON without the outer braces. */
  readonly fieldsJson: string;
  readonly isEnabled: boolean;
}

/** Number of characters of a flag's own variants in an evaluation. */
export function variantsLength(feature: Feature, environment: string): number {
  const { variants } = featureEnvironment(feature, environment);
  return variants.length === 0 ? 0 : JSON.stringify(variants).length;
}

/**
 * Evaluates a flag with its reasons (contract: Playground response, feature item, without the deprecated fields). It may pause where
 * `judge` may, and after the text of each strategy. The result is JSON text, because an answer has thousands of results, and most of the text for a
 * flag does not depend on the context.
 */
export function* presentEvaluation(
  flag: CompiledFlag,
  feature: Feature,
  context: EvaluationContext,
  find: FlagLookup,
): Work<PresentedEvaluation> {
  const verdict = yield* judge(flag, context, find);
  const explained = { flag, editLink: editPageOf(feature, context) };
  let data = '';
  for (const strategy of verdict.strategies.data) {
    const text = verdictJson(strategy, context, explained);
    data += (data === '' ? '' : ',') + text;
    yield text.length * WORK_PER_CHAR;
  }
  return present(verdict, data, feature, context);
}

/** The path of a strategy's page in Unleash's UI, up to the strategy's id. The path contains no characters that JSON must escape. */
function editPageOf({ name, project }: Feature, { environment = '' }: EvaluationContext): string {
  const path = `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
  return `${path}/strategies/edit?environmentId=${encodeURIComponent(environment)}&strategyId=`;
}

function present(
  { strategies, satisfied, resolution, ...verdict }: FlagVerdict,
  data: string,
  feature: Feature,
  context: EvaluationContext,
): PresentedEvaluation {
  const result = strategies.result === 'unknown' ? '"unknown"' : strategies.result;
  const { isEnabled, isEnabledInCurrentEnvironment, hasUnsatisfiedDependency } = verdict;
  // The variant was chosen from the variants of the first satisfied strategy or, if that strategy has none, from the variants of the flag.
  const strategyVariants = satisfied?.definition.variants ?? [];
  const variants =
    strategyVariants.length > 0 ? strategyVariants : featureEnvironment(feature, context.environment ?? '').variants;
  const fieldsJson =
    `"name":${JSON.stringify(feature.name)},"projectId":${JSON.stringify(feature.project)},"strategies":{"result":${result},"data":[${data}]},"hasUnsatisfiedDependency":${hasUnsatisfiedDependency}` +
    `,"isEnabledInCurrentEnvironment":${isEnabledInCurrentEnvironment},"isEnabled":${isEnabled}` +
    `,"variant":${resolution.variantJson},"variants":${JSON.stringify(variants)}`;
  return { fieldsJson, isEnabled };
}
