import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { type Explanation, explain } from '../../evaluation/explain.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';

/** One evaluated flag as the playground answers it (contract: Playground response, feature item). */
export function presentEvaluation(flag: CompiledFlag, feature: Feature, context: EvaluationContext, find: FlagLookup) {
  const explanation = explain(flag, context, find);
  const { strategies, isEnabled, isEnabledInCurrentEnvironment, hasUnsatisfiedDependency, variant } = explanation;
  const environment = context.environment ?? '';
  const page = `/projects/${encodeURIComponent(feature.project)}/features/${encodeURIComponent(feature.name)}/strategies/edit`;
  return {
    name: feature.name,
    projectId: feature.project,
    strategies: {
      result: strategies.result,
      data: strategies.data.map((strategy) => ({
        ...strategy,
        links: { edit: editPath(page, environment, strategy.id) },
      })),
    },
    hasUnsatisfiedDependency,
    isEnabledInCurrentEnvironment,
    isEnabled,
    variant,
    variants: variantsChosenFrom(explanation, feature, environment),
    feature_enabled: isEnabled,
    featureEnabled: isEnabled,
  };
}

function editPath(page: string, environment: string, strategyId: string): string {
  return `${page}?environmentId=${encodeURIComponent(environment)}&strategyId=${encodeURIComponent(strategyId)}`;
}

/** The first satisfied strategy's own variants, else the flag's. */
function variantsChosenFrom({ strategies }: Explanation, feature: Feature, environmentName: string) {
  const environment = featureEnvironment(feature, environmentName);
  const satisfied = strategies.data.find((strategy) => strategy.result.enabled === true);
  const definition = environment.strategies.find((strategy) => strategy.id === satisfied?.id);
  return definition && definition.variants.length > 0 ? definition.variants : environment.variants;
}
