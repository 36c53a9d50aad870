import Type, { type Static } from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, decideInSteps, longCommand } from '../../engine/command.ts';
import type { EntityOf } from '../../model/entity.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../../model/feature.ts';
import { NameReference } from '../../model/primitives.ts';
import { countsFrom, type Safeguard, SafeguardCondition, waitsForReview } from '../../model/safeguard.ts';
import type { StateReader } from '../../state/collections.ts';
import { renameChangeRequest, requestChanges } from '../change-requests/commands.ts';
import { maySafeguardsSwitchOff } from '../change-requests/config.ts';
import { moveChangeRequest } from '../change-requests/moves.ts';
import { switchOff, withEnvironment } from '../flags/environments/settings.ts';
import { locationOf, putPlan } from '../flags/plans/starting.ts';
import { pause } from '../release-plans/plans/commands.ts';
import { findProjectEnvironment } from '../shared/lookup.ts';
import { isInMaintenance } from '../shared/maintenance.ts';

const REASON_LENGTH_MAX = 500;
const TITLE_LENGTH_MAX = 100;

type Condition = Static<typeof SafeguardCondition>;

/** Where the service compares a safeguard. The flag may have moved to another project since. Without `planId`, it is one of the flag itself. */
const Watched = {
  featureName: NameReference,
  environment: NameReference,
  planId: Type.Optional(NameReference),
  safeguardId: NameReference,
};

/** A flag that is on in an environment, with the settings that its safeguards may change. */
interface Running {
  readonly feature: Feature;
  readonly config: FeatureEnvironment;
}

function findRunning(reader: StateReader, featureName: string, environment: string): Running | undefined {
  const feature = reader.get('features', featureName);
  if (!feature || feature.archived || isInMaintenance(reader)) return undefined;
  const config = featureEnvironment(feature, environment);
  if (!config.enabled) return undefined;
  return findProjectEnvironment(reader, feature.project, environment) instanceof Rejection
    ? undefined
    : { feature, config };
}

/** Why the safeguard trips, for the history. */
export function reasonOf(safeguard: EntityOf<typeof SafeguardCondition>, value: number): string {
  const { metricName, aggregation, operator, threshold, windowMinutes, query } = safeguard;
  const reason =
    query === undefined
      ? `Safeguard: ${aggregation} of ${metricName} was ${value} in ${windowMinutes} min, ${operator} ${threshold}.`
      : `Safeguard: the query gave ${value}, ${operator} ${threshold}: ${query}`;
  return reason.slice(0, REASON_LENGTH_MAX);
}

/**
 * Does what a safeguard is for, because of a value that a replica has measured: pauses the release plan, or switches the flag off. Only the first
 * submission has an effect. `safeguard`: the condition that was compared; if it was changed meanwhile, the value says nothing. Same for `guardedFrom`:
 * if the safeguard has counted anew since then, the value is from before that.
 */
export const tripSafeguard = longCommand({
  name: 'trip-safeguard',
  input: Type.Object({
    ...Watched,
    safeguard: SafeguardCondition,
    guardedFrom: Type.Optional(Type.String()),
    value: Type.Number(),
  }),
  *decide(context, input) {
    const running = findRunning(context.draft, input.featureName, input.environment);
    if (!running) return undefined;
    yield;
    return input.planId === undefined
      ? yield* tripOfFlag(context, running, input)
      : tripOfPlan(context, running, input);
  },
});

interface Comparison {
  readonly planId?: string | undefined;
  readonly safeguardId: string;
  readonly safeguard: Condition;
  readonly guardedFrom?: string | undefined;
  readonly value: number;
}

/** The safeguard, if what was compared is still what it says. */
function findCompared(
  safeguards: readonly Safeguard[],
  guardedFrom: string | undefined,
  compared: Comparison,
): Safeguard | undefined {
  const safeguard = safeguards.find(({ id }) => id === compared.safeguardId);
  if (!safeguard || !isSameCondition(safeguard, compared.safeguard)) return undefined;
  return countsFrom(safeguard, guardedFrom) === compared.guardedFrom && !waitsForReview(safeguard, guardedFrom)
    ? safeguard
    : undefined;
}

function tripOfPlan(context: CommandContext, { feature, config }: Running, compared: Comparison): undefined {
  const plan = config.releasePlan;
  if (plan?.id !== compared.planId || plan?.paused) return undefined;
  const safeguard = plan && findCompared(plan.safeguards, plan.guardedFrom, compared);
  if (!plan || !safeguard) return undefined;
  const { value } = compared;
  const safeguards = withTripped(plan.safeguards, safeguard, { triggeredAt: context.now, triggeredValue: value });
  const tripped = putPlan(context, { feature, config, plan: { ...plan, safeguards } });
  const paused = pause(context, tripped, reasonOf(safeguard, value), { safeguard, value });
  if (safeguard.action === 'disable') switchOff(context, paused);
  return undefined;
}

function* tripOfFlag(
  context: CommandContext,
  { feature, config }: Running,
  compared: Comparison,
): Steps<Rejection | undefined> {
  const { draft, now, emit } = context;
  const safeguard = findCompared(config.safeguards ?? [], config.guardedFrom, compared);
  if (!safeguard) return undefined;
  const { value } = compared;
  const location = locationOf({ feature, config });
  const mayActAlone = maySafeguardsSwitchOff(draft, location.project, location.environment);
  const changeRequest = mayActAlone ? undefined : yield* requestSwitchOff(context, location);
  if (changeRequest instanceof Rejection) return changeRequest;
  const requested = changeRequest === undefined ? {} : { changeRequest };
  const tripped = { triggeredAt: now, triggeredValue: value, ...requested };
  const after = { ...config, safeguards: withTripped(config.safeguards ?? [], safeguard, tripped) };
  const stored = withEnvironment(feature, after);
  draft.put('features', stored);
  const data = { reason: reasonOf(safeguard, value), value, safeguard, ...requested };
  emit({ ...location, type: 'feature-environment-safeguard-tripped', data });
  if (mayActAlone) switchOff(context, { feature: stored, config: after });
  return undefined;
}

function withTripped(safeguards: readonly Safeguard[], tripped: Safeguard, what: Partial<Safeguard>): Safeguard[] {
  const { changeRequest: _request, ...before } = tripped;
  return safeguards.map((one) => (one === tripped ? { ...before, ...what } : one));
}

/** Asks people to switch the flag off. Returns the id of the change request, which is in review at once. */
function* requestSwitchOff(
  context: CommandContext,
  { project, environment, featureName }: ReturnType<typeof locationOf>,
): Steps<number | Rejection> {
  const change = { action: 'updateEnabled' as const, feature: featureName, payload: { enabled: false } };
  const input = { project, environment, draft: 'new' as const, changes: [change] };
  const request = yield* decideInSteps(requestChanges, context, input);
  if (request instanceof Rejection) return request;
  const { id } = request;
  const title = `Safeguard: switch ${featureName} off`.slice(0, TITLE_LENGTH_MAX);
  const renamed = yield* decideInSteps(renameChangeRequest, context, { project, id, title });
  if (renamed instanceof Rejection) return renamed;
  const sent = yield* decideInSteps(moveChangeRequest, context, { project, id, state: 'In review' });
  return sent instanceof Rejection ? sent : id;
}

export function isSameCondition(stored: object, compared: object): boolean {
  const fields = Object.keys(SafeguardCondition.properties);
  const textOf = (condition: object) =>
    JSON.stringify(fields.map((field) => (condition as Readonly<Record<string, unknown>>)[field]));
  return textOf(stored) === textOf(compared);
}
