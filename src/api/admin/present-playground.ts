import type { Work } from '../../base/work.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { strategyVerdictJson } from '../../evaluation/explain-json.ts';
import { judge } from '../../evaluation/judge.ts';
import { TextCache } from '../../evaluation/text-cache.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';

/** One evaluated flag as both playgrounds tell it. */
export interface PresentedEvaluation {
  /** The fields that both tell, as JSON, without the braces around them. */
  readonly fieldsJson: string;
  readonly isEnabled: boolean;
}

const variantTexts = new TextCache<Feature['environments'][number]['variants'], string>();

/** Characters of a flag's own variants as they stand in an evaluation. */
export function variantsLength(feature: Feature, environment: string): number {
  const { variants } = featureEnvironment(feature, environment);
  return variants.length === 0 ? 0 : variantTexts.get(variants, JSON.stringify).length;
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
  const { strategies, satisfied, resolution, ...verdict } = yield* judge(flag, context, find);
  const { name, project } = feature;
  const environment = context.environment ?? '';
  const editPage = `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}/strategies/edit?environmentId=${encodeURIComponent(environment)}&strategyId=`;
  let data = '';
  for (const strategy of strategies.data) {
    data += (data === '' ? '' : ',') + (yield* strategyVerdictJson(strategy, context, editPage));
  }
  const result = strategies.result === 'unknown' ? '"unknown"' : strategies.result;
  const { isEnabled, isEnabledInCurrentEnvironment, hasUnsatisfiedDependency } = verdict;
  // The variants it was chosen from: the first satisfied strategy's own, else the flag's.
  const ofStrategy = satisfied?.definition.variants ?? [];
  const variants = ofStrategy.length > 0 ? ofStrategy : featureEnvironment(feature, environment).variants;
  const fieldsJson =
    `"name":${JSON.stringify(name)},"projectId":${JSON.stringify(project)}` +
    `,"strategies":{"result":${result},"data":[${data}]},"hasUnsatisfiedDependency":${hasUnsatisfiedDependency}` +
    `,"isEnabledInCurrentEnvironment":${isEnabledInCurrentEnvironment},"isEnabled":${isEnabled}` +
    `,"variant":${resolution.variantJson},"variants":${variants.length === 0 ? '[]' : variantTexts.get(variants, JSON.stringify)}`;
  return { fieldsJson, isEnabled };
}
