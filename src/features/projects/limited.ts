import type { DefaultStrategy } from '../../model/default-strategy.ts';
import type { FeatureEnvironment } from '../../model/feature.ts';
import type { Project } from '../../model/project.ts';
import { measureEnvironment, prepareMeasuring } from '../flags/rule-costs.ts';
import { growthProblem, type Limited, type LimitedCollections, measuredBy } from '../shared/limit-checks.ts';

/** The default strategy is measured as the only strategy of a flag, because every flag that gets this strategy must be within the limits. */
const defaultStrategies: Limited<DefaultStrategy> = {
  *problem({ entity, previous }, { before, after }, limits) {
    const config = configOf(entity);
    yield* prepareMeasuring(config, after);
    const measureBefore = () => previous && measureEnvironment(configOf(previous), before);
    return growthProblem('The default strategy', measureEnvironment(config, after), measureBefore, limits);
  },
};

export const limited: LimitedCollections = {
  /** Measures of a project, without its content. */
  projects: measuredBy<Project>(
    ({ id }) => `The project ${id}`,
    ({ linkTemplates = [] }) => ({ linkTemplates: linkTemplates.length }),
  ),
  defaultStrategies,
};

/** Returns the configuration of a flag whose only strategy is the default strategy. */
function configOf({ environment, strategy }: DefaultStrategy): FeatureEnvironment {
  return { environment, enabled: true, strategies: [{ ...strategy, id: '', sortOrder: 0 }], variants: [] };
}
