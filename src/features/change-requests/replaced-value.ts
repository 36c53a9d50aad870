import { fingerprint } from '../../base/json-hash.ts';
import type { RequestedChange } from '../../model/change-request.ts';
import { featureEnvironment } from '../../model/feature.ts';
import { reviewedPlan, usableStrategies } from '../../model/release-plan.ts';
import { reviewedSafeguards } from '../../model/safeguard.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { StateReader } from '../../state/collections.ts';
import { templateVersion } from '../release-plans/templates/template.ts';
import type { ReadyCommand } from './actions.ts';

interface ChangeTarget {
  readonly environment: string;
  readonly feature: string | null;
  readonly action: RequestedChange['action'];
}

/** Fingerprint of the value that a change replaces, in the state of `reader`; null if the change replaces no value or the value was deleted. */
export function basisOf(
  reader: StateReader,
  { environment, feature: name, action }: ChangeTarget,
  { input }: Pick<ReadyCommand, 'input'>,
): string | null {
  if (action === 'updateSegment') {
    const segment = reader.get('segments', String(input.id));
    return segment ? fingerprint([segment.name, segment.constraints, segment.project]) : null;
  }
  const feature = name === null ? undefined : reader.get('features', name);
  if (!feature) return null;
  const config = featureEnvironment(feature, environment);
  if (action === 'updateEnabled') return fingerprint(config.enabled);
  if (action === 'patchVariant') return fingerprint(config.variants);
  if (action === 'addReleasePlan')
    return fingerprint([config.releasePlan?.id, templateVersion(reader, String(input.templateId))]);
  if (action === 'updateMilestoneStrategy') return strategyBasis(usableStrategies(config), input);
  if (isAboutSafeguard(action) && input.planId === undefined)
    return fingerprint(reviewedSafeguards(config.safeguards ?? []));
  if (isAboutPlan(action)) return config.releasePlan ? fingerprint(reviewedPlan(config.releasePlan)) : null;
  if (action === 'reorderStrategy') return fingerprint(config.strategies.map(({ id }) => id));
  if (action !== 'updateStrategy' && action !== 'deleteStrategy') return null;
  return strategyBasis(config.strategies, input);
}

function strategyBasis(strategies: readonly Strategy[], { strategyId }: ReadyCommand['input']): string | null {
  const strategy = strategies.find(({ id }) => id === strategyId);
  return strategy ? fingerprint(strategy) : null;
}

function isAboutPlan(action: RequestedChange['action']): boolean {
  return /ReleasePlan|Milestone|Safeguard/.test(action);
}

function isAboutSafeguard(action: RequestedChange['action']): boolean {
  return /Safeguard/.test(action);
}
