import Type, { type Static } from 'typebox';
import { invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { NameReference } from '../../../model/primitives.ts';
import { type Safeguard, SafeguardCondition } from '../../../model/release-plan.ts';
import { limitRejection } from '../../limits/limit-rules.ts';
import { permissionProblem } from '../../people/permission-problem.ts';
import { newUlid } from '../milestones.ts';
import { findPlan, PlanLocation } from './commands.ts';
import { auditedPlan, locationOf, putPlan } from './starting.ts';

export const SafeguardFields = {
  ...SafeguardCondition.properties,
  labels: Type.Optional(SafeguardCondition.properties.labels),
  action: Type.Optional({ ...SafeguardCondition.properties.action, default: 'pause' }),
};
const SafeguardFieldsInput = Type.Object(SafeguardFields);
type SafeguardFieldsInput = Static<typeof SafeguardFieldsInput>;

/** Adds a safeguard, or replaces the one with this id. */
export const setSafeguard = command({
  name: 'set-safeguard',
  input: Type.Object({ ...PlanLocation, safeguardId: Type.Optional(NameReference), safeguard: SafeguardFieldsInput }),
  decide(context, { safeguardId, safeguard: input, ...location }) {
    const found = findPlan(context.draft, location);
    if (found instanceof Rejection) return found;
    const { plan } = found;
    const before = plan.safeguards.find(({ id }) => id === safeguardId);
    if (safeguardId !== undefined && !before) return missing(plan.id, safeguardId);
    const refusal = disableProblem(context, input, location);
    if (refusal) return refusal;
    const count = plan.safeguards.length + 1;
    if (!before && count > context.limits.planSafeguards)
      return limitRejection(`The release plan ${plan.name}`, 'planSafeguards', count, context.limits);
    if (!Number.isFinite(input.threshold)) return invalid('The threshold must be a number.', '/threshold');
    const { metricName, labels = {}, aggregation, operator, threshold, windowMinutes, action = 'pause' } = input;
    const safeguard: Safeguard = {
      ...{ id: before?.id ?? newUlid(context), metricName, labels, aggregation },
      ...{ operator, threshold, windowMinutes, action },
    };
    const safeguards = before
      ? plan.safeguards.map((one) => (one === before ? safeguard : one))
      : [...plan.safeguards, safeguard];
    putPlan(context, { ...found, plan: { ...plan, safeguards } });
    context.emit({
      ...locationOf(found),
      type: 'release-plan-safeguard-changed',
      data: { ...auditedPlan(plan), safeguard },
      ...(before && { preData: { safeguard: before } }),
    });
    return safeguard;
  },
});

export const removeSafeguard = command({
  name: 'remove-safeguard',
  input: Type.Object({ ...PlanLocation, safeguardId: NameReference }),
  decide(context, { safeguardId, ...location }) {
    const found = findPlan(context.draft, location);
    if (found instanceof Rejection) return found;
    const { plan } = found;
    const before = plan.safeguards.find(({ id }) => id === safeguardId);
    if (!before) return missing(plan.id, safeguardId);
    const safeguards = plan.safeguards.filter((one) => one !== before);
    putPlan(context, { ...found, plan: { ...plan, safeguards } });
    context.emit({
      ...locationOf(found),
      type: 'release-plan-safeguard-removed',
      data: auditedPlan(plan),
      preData: { safeguard: before },
    });
    return undefined;
  },
});

function missing(planId: string, safeguardId: string): Rejection {
  return notFound(`The release plan ${planId} has no safeguard with the id ${safeguardId}.`);
}

/** A safeguard must not switch flags off for an author who may not. */
function disableProblem(
  context: CommandContext,
  { action }: SafeguardFieldsInput,
  { project, environment }: { readonly project: string; readonly environment: string },
): Rejection | undefined {
  if (action !== 'disable') return undefined;
  return permissionProblem(context, ['UPDATE_FEATURE_ENVIRONMENT'], project, environment);
}
