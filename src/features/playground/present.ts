import type { Work } from '../../base/work.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { strategyVerdictJson, verdictJsonAtOnce, WORK_PER_CHAR } from '../../evaluation/explain-json.ts';
import { type FlagVerdict, judge, judgeAtOnce } from '../../evaluation/judge.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';

/** One evaluated flag as both playgrounds tell it. */
interface PresentedEvaluation {
  /** The fields that both tell, as JSON, without the braces around them. */
  readonly fieldsJson: string;
  readonly isEnabled: boolean;
}

/** Characters of a flag's own variants as they stand in an evaluation. */
export function variantsLength(feature: Feature, environment: string): number {
  const { variants } = featureEnvironment(feature, environment);
  return variants.length === 0 ? 0 : JSON.stringify(variants).length;
}

/**
 * Evaluates a flag with its reasons, in counted steps (contract: Playground response, feature item, but for the deprecated fields). As text: an answer holds
 * thousands, and most of what it says of a flag does not depend on the context.
 */
export function* presentEvaluation(
  flag: CompiledFlag,
  feature: Feature,
  context: EvaluationContext,
  find: FlagLookup,
): Work<PresentedEvaluation> {
  const verdict = yield* judge(flag, context, find);
  const editPage = editPageOf(feature, context);
  let data = '';
  for (const strategy of verdict.strategies.data) {
    data += (data === '' ? '' : ',') + (yield* strategyVerdictJson(strategy, context, editPage));
  }
  return present(verdict, data, feature, context);
}

/** The same in one go, and the work it took: for a flag of which `judgingCost` is known. Steps cost more than most flags do. */
export function presentAtOnce(
  flag: CompiledFlag,
  judging: number,
  feature: Feature,
  context: EvaluationContext,
): PresentedEvaluation & { readonly work: number } {
  const verdict = judgeAtOnce(flag, context);
  const editPage = editPageOf(feature, context);
  let data = '';
  for (const strategy of verdict.strategies.data) {
    data += (data === '' ? '' : ',') + verdictJsonAtOnce(strategy, context, editPage);
  }
  const { fieldsJson, isEnabled } = present(verdict, data, feature, context);
  return { fieldsJson, isEnabled, work: judging + data.length * WORK_PER_CHAR };
}

/** The path of a strategy's page in Unleash's own pages, up to the strategy's id. Needs no escaping in JSON. */
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
  // The variants it was chosen from: the first satisfied strategy's own, else the flag's.
  const ofStrategy = satisfied?.definition.variants ?? [];
  const variants = ofStrategy.length > 0 ? ofStrategy : featureEnvironment(feature, context.environment ?? '').variants;
  const fieldsJson =
    `"name":${JSON.stringify(feature.name)},"projectId":${JSON.stringify(feature.project)},"strategies":{"result":${result},"data":[${data}]},"hasUnsatisfiedDependency":${hasUnsatisfiedDependency}` +
    `,"isEnabledInCurrentEnvironment":${isEnabledInCurrentEnvironment},"isEnabled":${isEnabled}` +
    `,"variant":${resolution.variantJson},"variants":${JSON.stringify(variants)}`;
  return { fieldsJson, isEnabled };
}
