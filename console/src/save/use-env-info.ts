import { useMemo } from 'react';
import { type MayNot, useMay } from '../data/may.ts';
import type { Target } from '../data/save.ts';
import { isProduction, useProjectEnvironments, useReviews } from '../data/settings.ts';
import { defaultStrategyOf } from '../domain/default-strategy.ts';
import type { StrategyDraft } from '../domain/model.ts';

export interface EnvironmentInfo {
  readonly isProduction: boolean;
  /** Every change needs a reason. */
  readonly needsReason: boolean;
  /** Changes ask for a review. */
  readonly isReviewed: boolean;
  /** The person may save changes without it. */
  readonly maySkipReview: boolean;
  /** What a flag gets that is switched on without an active strategy. Undefined until it is known. */
  readonly firstStrategy: StrategyDraft | undefined;
  readonly isKnown: boolean;
}

/** What saving in this environment needs. `type`: that of the environment, where it is known already; until then, it may be production. */
export function useEnvironmentInfo(
  { project, environment }: Pick<Target, 'project' | 'environment'>,
  type?: string,
): EnvironmentInfo {
  const { data: environments } = useProjectEnvironments(project);
  const { data: reviews } = useReviews(project);
  const skip: MayNot = useMay('SKIP_CHANGE_REQUEST', project, environment);
  const found = environments?.find(({ name }) => name === environment);
  // The stickiness of a standard strategy makes no difference: it is for everyone.
  const firstStrategy = useMemo(() => found && defaultStrategyOf(found.defaultStrategy, 'default'), [found]);
  const isReviewed = reviews?.find((one) => one.environment === environment)?.changeRequestEnabled ?? false;
  return {
    isProduction: environments === undefined && type === undefined ? true : isProduction(type ?? found?.type),
    needsReason: found?.requireReason ?? false,
    isReviewed,
    maySkipReview: skip === undefined,
    firstStrategy,
    isKnown: environments !== undefined && reviews !== undefined,
  };
}
