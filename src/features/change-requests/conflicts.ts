import { type ChangeRequest, isOpen, type RequestedChange } from '../../model/change-request.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';
import { usableStrategies } from '../../model/release-plan.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { StateReader } from '../../state/collections.ts';
import { canBeParent } from '../flags/dependencies/commands.ts';
import { firstStrategy } from '../flags/strategies/default-strategies.ts';
import type { StrategyContent } from '../flags/strategies/validate.ts';
import { basisOf } from './replaced-value.ts';

/** A text for people: why the flag cannot be changed any more. Undefined if the flag can be changed. */
export function featureConflict(reader: StateReader, request: ChangeRequest, name: string): string | undefined {
  if (!isOpen(request)) return undefined;
  const feature = reader.get('features', name);
  if (!feature || feature.project !== request.project) return `The feature ${name} is not in the project any more.`;
  return feature.archived ? `The feature ${name} has been archived.` : undefined;
}

/** A text for people: why the change cannot be made any more, or how its target has changed since the request. Undefined without a conflict. */
export function changeConflict(
  reader: StateReader,
  request: ChangeRequest,
  change: RequestedChange,
): string | undefined {
  if (!isOpen(request)) return undefined;
  const { action, feature: name, segment, basis } = change;
  const input = change.input as { readonly strategyId?: string; readonly parent?: string; readonly planId?: string };
  if (segment && !reader.get('segments', String(segment.id))) return `The segment ${segment.name} has been deleted.`;
  if (name !== null) {
    const conflict = featureConflict(reader, request, name);
    if (conflict !== undefined) return conflict;
    const settings = featureEnvironment(reader.get('features', name) as Feature, request.environment);
    const { releasePlan } = settings;
    const strategies = action === 'updateMilestoneStrategy' ? usableStrategies(settings) : settings.strategies;
    if (input.planId !== undefined && releasePlan?.id !== input.planId)
      return `The release plan ${input.planId} has been removed.`;
    const isDeleted = input.strategyId !== undefined && !strategies.some(({ id }) => id === input.strategyId);
    if (isDeleted) return `The strategy ${input.strategyId} has been removed.`;
    if (action === 'addDependency' && !canBeParent(reader.get('features', input.parent ?? ''), request.project)) {
      return `The feature ${input.parent} cannot be a parent any more.`;
    }
  }
  const missingSegment = change.usesSegments.find((id) => !reader.get('segments', String(id)));
  if (missingSegment !== undefined) return `The segment ${missingSegment} has been deleted.`;
  const { environment } = request;
  const currentBasis = basisOf(reader, { environment, feature: name, action }, { input: change.input as typeof input });
  return basis !== null && basis !== currentBasis
    ? 'The value that this change replaces has been changed since the change was requested.'
    : undefined;
}

/** The strategy that is added automatically when the request switches the flag on without an active strategy; undefined in other cases. */
export function defaultChange(
  reader: StateReader,
  request: ChangeRequest,
  name: string,
): { readonly action: 'addStrategy'; readonly payload: StrategyContent } | undefined {
  const feature = isOpen(request) ? reader.get('features', name) : undefined;
  if (!feature) return undefined;
  const { strategies, releasePlan } = featureEnvironment(feature, request.environment);
  // A plan that waits starts its first milestone instead.
  if (releasePlan && releasePlan.activeMilestoneId === null) return undefined;
  const disabled = new Map(strategies.map((strategy) => [strategy.id, strategy.disabled]));
  for (const change of request.changes) {
    if (change.feature === name && !applyToStrategies(disabled, change)) {
      return { action: 'addStrategy', payload: firstStrategy(reader, feature, request.environment) };
    }
  }
  return undefined;
}

/**
 * Applies the effect of the change to `disabled`, a map from the id of a strategy to whether it is disabled. Returns false if the change switches the
 * flag on without an active strategy, otherwise true.
 */
function applyToStrategies(disabled: Map<string, boolean>, { id, action, input }: RequestedChange): boolean {
  const {
    enabled,
    activateDisabledStrategies,
    strategy,
    strategyId = '',
    changes,
  } = input as {
    readonly enabled?: boolean;
    readonly activateDisabledStrategies?: boolean;
    readonly strategy?: Partial<Strategy>;
    readonly strategyId?: string;
    readonly changes?: Partial<Strategy>;
  };
  if (action === 'addStrategy') disabled.set(`new ${id}`, strategy?.disabled === true);
  if (action === 'deleteStrategy') disabled.delete(strategyId);
  if (action === 'updateStrategy' && changes?.disabled !== undefined)
    disabled.set(strategyId, changes.disabled === true);
  if (action !== 'updateEnabled' || enabled !== true) return true;
  if (activateDisabledStrategies === true) for (const key of disabled.keys()) disabled.set(key, false);
  return [...disabled.values()].includes(false);
}
