import Type from 'typebox';
import { permissionProblem } from '../../../access/permission-problem.ts';
import { invalid, Rejection } from '../../../base/rejection.ts';
import { isSameJson } from '../../../base/same-json.ts';
import { type CommandContext, longCommand } from '../../../engine/command.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../../../model/feature.ts';
import { ENVIRONMENT_LIMITS } from '../../../model/limits/environments.ts';
import type { Permission } from '../../../model/permission.ts';
import { NameReference } from '../../../model/primitives.ts';
import { withStrategies } from '../../../model/release-plan.ts';
import type { Strategy } from '../../../model/strategy.ts';
import { findProjectEnvironment } from '../../shared/lookup.ts';
import { continuePlan } from '../plans/starting.ts';
import { firstStrategy } from '../strategies/default-strategies.ts';
import { FeatureLocation, findFeatureLocation, nextSortOrder, withEnvironment } from './settings.ts';

const PARTS = ['enabled', 'strategies', 'variants'] as const;
type Part = (typeof PARTS)[number];

export const CopyFields = {
  targets: Type.Array(NameReference, {
    minItems: 1,
    maxItems: ENVIRONMENT_LIMITS.environments.max,
    description: 'Names of the environments whose settings of the flag are replaced',
  }),
  parts: Type.Optional(
    Type.Array(Type.Enum([...PARTS]), {
      minItems: 1,
      maxItems: PARTS.length,
      description:
        'What is copied: whether the flag is on (`enabled`), its strategies with their segments, titles and order (`strategies`), and the variants ' +
        'of the environment (`variants`). By default everything',
    }),
  ),
};

/** The settings of a flag in one target, before and after the copy. */
export interface EnvironmentCopy {
  readonly before: FeatureEnvironment;
  readonly after: FeatureEnvironment;
}

/** Permission checks of one target. */
interface Target {
  readonly before: FeatureEnvironment;
  readonly after: FeatureEnvironment;
  readonly parts: ReadonlySet<Part>;
}

/**
 * Replaces the settings of a flag in the target environments by its settings in another environment, all or none. Copied strategies get new ids. A
 * part that is equal already stays as it is, with its ids. Release plans are not copied; one whose strategies are replaced ends. Returns the settings of each target before and after.
 */
export const copyFeatureEnvironment = longCommand({
  name: 'copy-feature-environment',
  input: Type.Object({ ...FeatureLocation.properties, ...CopyFields }),
  *decide(context, { targets, parts = [...PARTS], ...location }) {
    const found = findFeatureLocation(context.draft, location);
    if (found instanceof Rejection) return found;
    const { config: source } = found;
    const copies: EnvironmentCopy[] = [];
    for (const [index, environment] of targets.entries()) {
      const problem = targetProblem(context, location, targets, index);
      if (problem) return problem;
      const feature: Feature = context.draft.get('features', found.feature.name) ?? found.feature;
      const before = featureEnvironment(feature, environment);
      const target = { before, after: copied(context, feature, source, before, new Set(parts)), parts: new Set(parts) };
      const refusal = copyRefusal(context, feature.project, target);
      if (refusal) return refusal;
      if (target.after !== before) putCopy(context, feature, source.environment, target);
      copies.push(target);
      yield;
    }
    return copies;
  },
});

/** Returns a rejection if the target is the source, is named twice, or is not an environment of the project. */
function targetProblem(
  { draft }: CommandContext,
  { project, environment: source }: FeatureLocation,
  targets: readonly string[],
  index: number,
): Rejection | undefined {
  const target = targets[index] as string;
  const path = `/targets/${index}`;
  if (target === source) return invalid(`The environment ${target} cannot be copied to itself.`, path);
  if (targets.indexOf(target) < index) return invalid(`The environment ${target} is named twice.`, path);
  const found = findProjectEnvironment(draft, project, target);
  return found instanceof Rejection ? invalid(found.message, path) : undefined;
}

/**
 * The settings of the target with the copied parts; the same object if nothing changes. The rules of ordinary edits apply: a flag that is switched on
 * without an active strategy gets one, and a flag that loses its last active strategy is switched off. A release plan of the target continues, as after
 * every other switch. If both parts are copied, the target becomes equal to the source: a plan that waits ends when the flag is switched on.
 */
function copied(
  context: CommandContext,
  feature: Feature,
  source: FeatureEnvironment,
  before: FeatureEnvironment,
  parts: ReadonlySet<Part>,
): FeatureEnvironment {
  const isSwitchedOn = parts.has('enabled') && source.enabled && !before.enabled;
  const continued = isSwitchedOn ? withPlanContinued(context, feature, before, parts) : before;
  let { enabled, strategies, variants } = continued;
  if (parts.has('enabled')) enabled = source.enabled;
  if (parts.has('strategies') && !hasSameStrategies(source.strategies, strategies))
    strategies = source.strategies.map((strategy) => ({ ...strategy, id: context.newId() }));
  if (parts.has('variants') && !isSameJson(source.variants, variants)) variants = source.variants;
  const isActive = strategies.some((strategy) => !strategy.disabled);
  if (!parts.has('strategies') && isSwitchedOn && !isActive) {
    const first = firstStrategy(context.draft, feature, before.environment);
    strategies = [...strategies, { ...first, id: context.newId(), sortOrder: nextSortOrder(strategies) }];
  }
  if (!parts.has('enabled') && strategies !== before.strategies && !isActive) enabled = false;
  const isSame = enabled === before.enabled && strategies === before.strategies && variants === before.variants;
  if (isSame) return before;
  const firstEnabledAt = before.firstEnabledAt ?? (isSwitchedOn ? context.now : undefined);
  const settings = { ...continued, enabled, variants, ...(firstEnabledAt !== undefined && { firstEnabledAt }) };
  return withStrategies(settings, strategies);
}

function withPlanContinued(
  context: CommandContext,
  feature: Feature,
  before: FeatureEnvironment,
  parts: ReadonlySet<Part>,
): FeatureEnvironment {
  const { releasePlan, ...withoutPlan } = before;
  const isWaiting = releasePlan?.activeMilestoneId === null;
  return continuePlan(context, feature, isWaiting && parts.has('strategies') ? withoutPlan : before).config;
}

function hasSameStrategies(left: readonly Strategy[], right: readonly Strategy[]): boolean {
  return isSameJson(left.map(withoutId), right.map(withoutId));
}

/** The content of a strategy with its position: everything that a copy has in common with its source. */
export function withoutId({ id: _id, ...content }: Strategy): Omit<Strategy, 'id'> {
  return content;
}

/** The permissions with which ordinary edits change a part. */
const PERMISSIONS_OF: { readonly [P in Part]: readonly Permission[] } = {
  enabled: ['UPDATE_FEATURE_ENVIRONMENT'],
  strategies: ['CREATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'],
  variants: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS'],
};

/**
 * Returns a rejection if the caller may not make these changes of the target with ordinary edits. A caller who may change none of the parts is
 * refused even if nothing changes.
 */
function copyRefusal(context: CommandContext, project: string, { before, after, parts }: Target) {
  const needed: Permission[] = [];
  if (parts.has('enabled') && after.enabled !== before.enabled) needed.push('UPDATE_FEATURE_ENVIRONMENT');
  if (parts.has('strategies') && after.strategies !== before.strategies) {
    if (after.strategies.length > 0) needed.push('CREATE_FEATURE_STRATEGY');
    if (before.strategies.length > 0) needed.push('DELETE_FEATURE_STRATEGY');
  }
  if (after.variants !== before.variants) needed.push('UPDATE_FEATURE_ENVIRONMENT_VARIANTS');
  const anyOfParts = [...parts].flatMap((part) => PERMISSIONS_OF[part]);
  const problem = permissionProblem(context, anyOfParts, project, before.environment);
  if (problem) return problem;
  for (const permission of needed) {
    const refusal = permissionProblem(context, [permission], project, before.environment);
    if (refusal) return refusal;
  }
  return undefined;
}

function putCopy({ draft, emit }: CommandContext, feature: Feature, copiedFrom: string, { before, after }: Target) {
  draft.put('features', withEnvironment(feature, after));
  const settings = ({ enabled, strategies, variants }: FeatureEnvironment) => ({ enabled, strategies, variants });
  emit({
    type: 'feature-environment-copied',
    project: feature.project,
    featureName: feature.name,
    environment: after.environment,
    data: { copiedFrom, ...settings(after) },
    preData: settings(before),
  });
}
