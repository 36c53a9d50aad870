import Type, { type Static } from 'typebox';
import { permissionProblem } from '../../../access/permission-problem.ts';
import { invalid, notFound, Rejection } from '../../../base/rejection.ts';
import type { Config } from '../../../config.ts';
import { type CommandContext, command, type NewEvent } from '../../../engine/command.ts';
import type { FeatureEnvironment } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import { type Safeguard, SafeguardCondition } from '../../../model/safeguard.ts';
import {
  FeatureLocation,
  type FoundLocation,
  findFeatureLocation,
  withEnvironment,
} from '../../flags/environments/settings.ts';
import { auditedPlan, locationOf, putPlan } from '../../flags/plans/starting.ts';
import { limitRejection } from '../../shared/limit-checks.ts';
import { newUlid } from '../milestones.ts';
import { findPlan } from './commands.ts';

export const SafeguardFields = {
  ...SafeguardCondition.properties,
  metricName: Type.Optional(SafeguardCondition.properties.metricName),
  labels: Type.Optional(SafeguardCondition.properties.labels),
  aggregation: Type.Optional(SafeguardCondition.properties.aggregation),
  action: Type.Optional(SafeguardCondition.properties.action),
};
const SafeguardFieldsInput = Type.Object(SafeguardFields);
type SafeguardFieldsInput = Static<typeof SafeguardFieldsInput>;

/** A flag in an environment, or the release plan that it has there. */
const GuardedLocation = { ...FeatureLocation.properties, planId: Type.Optional(NameReference) };
type GuardedLocation = FeatureLocation & { readonly planId?: string | undefined };

/** What has safeguards. */
interface Guarded {
  readonly found: FoundLocation;
  /** As messages name it. */
  readonly name: string;
  readonly safeguards: readonly Safeguard[];
  readonly action: Safeguard['action'];
  readonly eventTypes: { readonly changed: NewEvent['type']; readonly removed: NewEvent['type'] };
  /** What events show beside the safeguard. */
  readonly audited: object;
  put(safeguards: readonly Safeguard[]): void;
}

function findGuarded(context: CommandContext, { planId, ...location }: GuardedLocation): Guarded | Rejection {
  if (planId !== undefined) {
    const found = findPlan(context.draft, { ...location, planId });
    if (found instanceof Rejection) return found;
    const { plan } = found;
    return {
      found,
      name: `The release plan ${plan.name}`,
      safeguards: plan.safeguards,
      action: 'pause',
      eventTypes: { changed: 'release-plan-safeguard-changed', removed: 'release-plan-safeguard-removed' },
      audited: auditedPlan(plan),
      put: (safeguards) => void putPlan(context, { ...found, plan: { ...plan, safeguards } }),
    };
  }
  const found = findFeatureLocation(context.draft, location);
  if (found instanceof Rejection) return found;
  const { feature, config } = found;
  return {
    found,
    name: `The feature ${feature.name}`,
    safeguards: config.safeguards ?? [],
    action: 'disable',
    eventTypes: { changed: 'feature-environment-safeguard-changed', removed: 'feature-environment-safeguard-removed' },
    audited: {},
    put: (safeguards) => context.draft.put('features', withEnvironment(feature, withSafeguards(config, safeguards))),
  };
}

/** The settings with these safeguards. An empty list is not stored. */
function withSafeguards(config: FeatureEnvironment, safeguards: readonly Safeguard[]): FeatureEnvironment {
  const { safeguards: _safeguards, guardedFrom, ...rest } = config;
  if (safeguards.length === 0) return rest;
  return { ...rest, safeguards, ...(guardedFrom !== undefined && { guardedFrom }) };
}

/** Adds a safeguard, or replaces the one with this id. */
export const setSafeguard = command({
  name: 'set-safeguard',
  input: Type.Object({
    ...GuardedLocation,
    safeguardId: Type.Optional(NameReference),
    safeguard: SafeguardFieldsInput,
  }),
  decide(context, { safeguardId, safeguard: input, ...location }) {
    const guarded = findGuarded(context, location);
    if (guarded instanceof Rejection) return guarded;
    const { found, safeguards: known, eventTypes, audited } = guarded;
    const before = known.find(({ id }) => id === safeguardId);
    if (safeguardId !== undefined && !before) return missing(guarded, safeguardId);
    const action = input.action ?? guarded.action;
    const refusal = conditionProblem(input) ?? actionProblem(context, guarded, action);
    if (refusal) return refusal;
    const count = known.length + 1;
    if (!before && count > context.limits.planSafeguards)
      return limitRejection(guarded.name, 'planSafeguards', count, context.limits);
    const { operator, threshold, windowMinutes } = input;
    const safeguard: Safeguard = {
      id: before?.id ?? newUlid(context),
      ...measureOf(input),
      operator,
      threshold,
      windowMinutes,
      action,
    };
    guarded.put(before ? known.map((one) => (one === before ? safeguard : one)) : [...known, safeguard]);
    context.emit({
      ...locationOf(found),
      type: eventTypes.changed,
      data: { ...audited, safeguard },
      ...(before && { preData: { safeguard: before } }),
    });
    return safeguard;
  },
});

export const removeSafeguard = command({
  name: 'remove-safeguard',
  input: Type.Object({ ...GuardedLocation, safeguardId: NameReference }),
  decide(context, { safeguardId, ...location }) {
    const guarded = findGuarded(context, location);
    if (guarded instanceof Rejection) return guarded;
    const { found, safeguards, eventTypes, audited } = guarded;
    const before = safeguards.find(({ id }) => id === safeguardId);
    if (!before) return missing(guarded, safeguardId);
    guarded.put(safeguards.filter((one) => one !== before));
    context.emit({ ...locationOf(found), type: eventTypes.removed, data: audited, preData: { safeguard: before } });
    return undefined;
  },
});

/** A query that nothing can answer is refused at the entrance. Replicas may have different options, so the command does not depend on them. */
export function unnamedPrometheusProblem(
  { query }: Pick<SafeguardFieldsInput, 'query'>,
  { prometheusUrl }: Pick<Config, 'prometheusUrl'>,
): Rejection | undefined {
  if (query === undefined || prometheusUrl !== '') return undefined;
  return invalid('A safeguard can have a query only if the option PROMETHEUS_URL names a Prometheus.', '/query');
}

function missing({ name }: Guarded, safeguardId: string): Rejection {
  return notFound(`${name} has no safeguard with the id ${safeguardId}.`);
}

/** What is compared: a metric as stated, or a query with the values that stand for no metric. */
function measureOf({ metricName = '', labels = {}, aggregation = 'last', query }: SafeguardFieldsInput) {
  return query === undefined ? { metricName, labels, aggregation } : { metricName: '', labels: {}, aggregation, query };
}

function conditionProblem({ metricName = '', labels = {}, aggregation, query, threshold }: SafeguardFieldsInput) {
  if (!Number.isFinite(threshold)) return invalid('The threshold must be a number.', '/threshold');
  if (query === undefined) {
    if (metricName === '') return invalid('A safeguard needs the name of a metric or a query.', '/metricName');
    return aggregation === undefined ? invalid('A metric needs an aggregation.', '/aggregation') : undefined;
  }
  if (metricName !== '') return invalid('A safeguard compares a metric or a query, not both.', '/query');
  return Object.keys(labels).length > 0 ? invalid('A query selects its labels itself.', '/labels') : undefined;
}

/** A safeguard must not switch flags off for an author who may not. */
function actionProblem(
  context: CommandContext,
  { found, action: usual }: Guarded,
  action: Safeguard['action'],
): Rejection | undefined {
  if (action === 'pause')
    return usual === 'pause'
      ? undefined
      : invalid('A safeguard of a flag switches it off: only a release plan can be paused.', '/action');
  const { project, environment } = locationOf(found);
  return permissionProblem(context, ['UPDATE_FEATURE_ENVIRONMENT'], project, environment);
}
