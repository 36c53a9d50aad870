import type { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Transition } from '../../engine/guard.ts';
import type { LimitName, Limits } from '../../model/limits.ts';
import type { Segment } from '../../model/segment.ts';
import { environmentProblem } from '../flags/limited.ts';
import { measureSegment, prepareCosts } from '../flags/rule-costs.ts';
import { type ChangedEntity, growthProblem, type LimitedCollections, type Measures } from '../shared/limit-checks.ts';

export const limited: LimitedCollections = { segments: { problem: segmentProblem } };

/** Checks a segment and all flags that use it: if a segment grows, these flags grow too. */
function* segmentProblem(
  { entity: segment, previous }: ChangedEntity<Segment>,
  transition: Transition,
  limits: Limits,
): Steps<Rejection | undefined> {
  const { before, after } = transition;
  yield* prepareCosts(segment.constraints);
  yield* prepareCosts(previous?.constraints ?? []);
  const measures = measureSegment(segment);
  const problem = growthProblem(
    `The segment ${segment.name}`,
    measures,
    () => previous && measureSegment(previous),
    limits,
  );
  if (problem || !previous || !outgrows(measures, measureSegment(previous))) return problem;
  for (const feature of after.lookup('featuresBySegment', String(segment.id))) {
    const environmentsBefore = before.get('features', feature.name)?.environments ?? [];
    // Of an unchanged flag, only the environments that use the segment have grown.
    for (const config of feature.environments) {
      if (!config.strategies.some(({ segments }) => segments.includes(segment.id))) continue;
      const previousConfig = environmentsBefore.find(({ environment }) => environment === config.environment);
      const subject = `The feature ${feature.name}`;
      const problem = yield* environmentProblem(transition, subject, config, previousConfig, limits);
      if (problem) return problem;
    }
    yield;
  }
  return undefined;
}

/** Whether any measure is greater than before. */
function outgrows(after: Measures, before: Measures): boolean {
  for (const name in after) if ((after[name as LimitName] ?? 0) > (before[name as LimitName] ?? 0)) return true;
  return false;
}
