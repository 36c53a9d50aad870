import Type from 'typebox';
import { assert } from '../../../base/assert.ts';
import { Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, longCommand, type NewEvent } from '../../../engine/command.ts';
import { featureEnvironment } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import { nextMilestone, progressionDueMs } from '../../../model/release-plan.ts';
import type { StateReader } from '../../../state/collections.ts';
import { Draft } from '../../../state/draft.ts';
import { type PlannedLocation, startMilestone } from '../../flags/plans/starting.ts';
import { limitProblem } from '../../limits/limit-rules.ts';
import { findProjectEnvironment } from '../../shared/lookup.ts';
import { isInMaintenance } from '../../shared/maintenance.ts';
import { pause } from './commands.ts';

const REASON_LENGTH_MAX = 500;

/** Where the service looks after a plan. The flag may have moved to another project since. */
const WatchedPlan = { featureName: NameReference, environment: NameReference, planId: NameReference };

interface WatchedPlan {
  readonly featureName: string;
  readonly environment: string;
  readonly planId: string;
}

/** The plan, if it may continue without a person: the flag is on, and the plan is not paused. */
function findRunning(
  reader: StateReader,
  { featureName, environment, planId }: WatchedPlan,
): PlannedLocation | undefined {
  const feature = reader.get('features', featureName);
  if (!feature || feature.archived || isInMaintenance(reader)) return undefined;
  const config = featureEnvironment(feature, environment);
  const plan = config.releasePlan;
  if (!config.enabled || plan?.id !== planId || plan.paused) return undefined;
  return findProjectEnvironment(reader, feature.project, environment) instanceof Rejection
    ? undefined
    : { feature, config, plan };
}

/**
 * Starts the next milestone when the interval of the active one has passed. Every replica may submit this command: the draft decides whether the
 * milestone is still active and its time has come, so only the first submission has an effect. A milestone that goes beyond a limit pauses the plan.
 */
export const progressReleasePlan = longCommand({
  name: 'progress-release-plan',
  input: Type.Object({ ...WatchedPlan, milestoneId: NameReference }),
  *decide(context, { milestoneId, ...watched }) {
    const found = findRunning(context.draft, watched);
    if (!found || found.plan.activeMilestoneId !== milestoneId) return undefined;
    const dueMs = progressionDueMs(found.plan);
    if (dueMs === undefined || dueMs > Date.parse(context.now)) return undefined;
    const milestone = nextMilestone(found.plan);
    assert(milestone, 'a plan without a next milestone is never due');
    const problem = yield* withinLimits(context, (inner) => startMilestone(inner, found, milestone, true));
    if (problem) {
      const reason = `The milestone ${milestone.name} could not be started. ${problem.message}`;
      pause(context, found, reason.slice(0, REASON_LENGTH_MAX));
    }
    return undefined;
  },
});

/** Makes the changes if they stay within the limits. The guard of the limits does not check commands of the service itself. */
function* withinLimits(context: CommandContext, make: (inner: CommandContext) => void): Steps<Rejection | undefined> {
  const layer = new Draft(context.draft);
  const events: NewEvent[] = [];
  make({ ...context, draft: layer, emit: (event) => void events.push(event) });
  const changes = layer.changes();
  const problem = yield* limitProblem({ before: context.draft, after: layer }, changes, context.limits);
  if (problem) return problem;
  context.draft.absorb(changes);
  for (const event of events) context.emit(event);
  return undefined;
}
