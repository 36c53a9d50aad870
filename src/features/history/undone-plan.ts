import type { Static } from 'typebox';
import { invalid, Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { PlanMilestone, ReleasePlan } from '../../model/release-plan.ts';
import { conditionOf, type Safeguard } from '../../model/safeguard.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { WantedChange } from '../change-requests/trying.ts';

type Wanted = Static<typeof WantedChange>;
/** A change of the plan without its flag. */
type PlanChange = Omit<Wanted, 'feature'>;

const NO_PLAN_AGAIN = invalid(
  'A change request cannot bring back a release plan that was removed: request a new one of its template.',
  '/changeRequest',
);
const NO_WAITING_AGAIN = invalid(
  'A change request cannot undo the start of the first milestone: request that the release plan is removed.',
  '/changeRequest',
);

/** The changes that make of the plan as it is now the plan as it is without the undone commit. A pause needs no review, and is not part of them. */
export function undonePlanChanges(
  feature: string,
  now: ReleasePlan | undefined,
  then: ReleasePlan | undefined,
): Wanted[] | Rejection {
  if (then && then.id !== now?.id) return NO_PLAN_AGAIN;
  if (!now) return [];
  const changes = then ? changesOf(now, then) : [{ action: 'deleteReleasePlan', payload: { planId: now.id } } as const];
  return changes instanceof Rejection ? changes : changes.map((change) => ({ ...change, feature }));
}

function changesOf(now: ReleasePlan, then: ReleasePlan): PlanChange[] | Rejection {
  const milestoneId = then.activeMilestoneId;
  const isOtherActive = milestoneId !== now.activeMilestoneId;
  if (milestoneId === null && isOtherActive) return NO_WAITING_AGAIN;
  const start: PlanChange = { action: 'startMilestone', payload: { planId: now.id, milestoneId } };
  return [
    ...then.milestones.flatMap((milestone) => milestoneChanges(now, milestone, isOtherActive)),
    ...safeguardChanges(now.safeguards, then.safeguards, now.id),
    ...(isOtherActive ? [start] : []),
  ];
}

function milestoneChanges(plan: ReleasePlan, then: PlanMilestone, isOtherActive: boolean): PlanChange[] {
  const now = plan.milestones.find(({ id }) => id === then.id);
  const changes: PlanChange[] = [];
  if (now?.intervalMinutes !== then.intervalMinutes) {
    const { intervalMinutes } = then;
    const transitionCondition = intervalMinutes === undefined ? null : { intervalMinutes };
    changes.push({ action: 'changeMilestoneProgression', payload: { milestoneId: then.id, transitionCondition } });
  }
  for (const { id, ...strategy } of then.strategies) {
    const known = now?.strategies.find((one) => one.id === id);
    // The start of a milestone numbers its strategies anew.
    const content = isOtherActive ? withoutOrder(strategy) : strategy;
    const { id: _id, ...current } = known ?? { id };
    const before = isOtherActive ? withoutOrder(current) : current;
    if (!isSameJson(before, content)) changes.push({ action: 'updateMilestoneStrategy', payload: { id, ...content } });
  }
  return changes;
}

function withoutOrder({ sortOrder: _sortOrder, ...content }: Partial<Strategy>): object {
  return content;
}

/** The changes of the flag's own safeguards in the environment. */
export function undoneSafeguardChanges(
  feature: string,
  now: readonly Safeguard[] = [],
  then: readonly Safeguard[] = [],
): Wanted[] {
  return safeguardChanges(now, then).map((change) => ({ ...change, feature }));
}

/** `planId`: undefined for the safeguards of the flag itself. */
function safeguardChanges(now: readonly Safeguard[], then: readonly Safeguard[], planId?: string): PlanChange[] {
  const ofPlan = planId === undefined ? {} : { planId };
  const changes: PlanChange[] = [];
  for (const wanted of then) {
    const known = now.find(({ id }) => id === wanted.id);
    const safeguard = conditionOf(wanted);
    if (known && isSameJson(conditionOf(known), safeguard)) continue;
    const payload = { ...ofPlan, ...(known && { safeguardId: known.id }), safeguard };
    changes.push({ action: 'changeSafeguard', payload });
  }
  for (const { id: safeguardId } of now) {
    if (!then.some(({ id }) => id === safeguardId))
      changes.push({ action: 'deleteSafeguard', payload: { ...ofPlan, safeguardId } });
  }
  return changes;
}
