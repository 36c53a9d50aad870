import { permissionProblem } from '../../access/permission-problem.ts';
import { conflict, notAllowed, Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, decideInSteps } from '../../engine/command.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../../model/feature.ts';
import type { Permission } from '../../model/permission.ts';
import type { Project } from '../../model/project.ts';
import { activeMilestone } from '../../model/release-plan.ts';
import { fieldChanges } from '../shared/field-changes.ts';
import { findProject, findProjectEnvironment } from '../shared/lookup.ts';
import type { UndoRule } from '../shared/undoing.ts';
import { archiveAll, deleteFeatures, hasChildren, reviveFeatures } from './archive/commands.ts';
import { featureNameProblem } from './commands.ts';
import { PARENT_OBSTACLES, parentObstacle } from './dependencies/commands.ts';
import { moveFeature } from './move-to-project.ts';
import { continuePlan } from './plans/starting.ts';
import { featureLimitProblem } from './project-flag-limit.ts';
import { validateStrategy } from './strategies/validate.ts';
import { validateVariants } from './variants/validate.ts';

/** Changes of flags, with their creation, deletion, archiving and move. The rules and the permissions of ordinary edits apply. */
export const undoFeature: UndoRule<Feature> = {
  derived: ['collaborators', 'changedAt'],
  check: (_context, { wanted }) => wanted && planConflict(wanted),
  *put(context, { key, wanted }, revision) {
    const current = context.draft.get('features', key);
    if (!current) return yield* recreate(context, wanted);
    if (isSameJson(current, wanted)) return false;
    const restored = withPlansCountingAgain(context, current, wanted);
    const problem =
      editProblem(context, current, wanted) ??
      safeguardProblem(context, current, wanted) ??
      (yield* useOtherCommands(context, current, wanted));
    if (problem) return problem;
    const before = context.draft.get('features', key) ?? current;
    const invalidity = yield* flagProblem(context, before, wanted);
    if (invalidity) return invalidity;
    context.draft.put('features', { ...restored, ...keptOf(before) });
    recordUndo(context, revision, before, wanted);
    startWaitingPlans(context, key);
    return true;
  },
  remove: removeAgain,
};

/** The fields that the other commands set for the flag as it is now. */
function keptOf({ collaborators, changedAt }: Feature): Partial<Feature> {
  return { ...(collaborators && { collaborators }), ...(changedAt && { changedAt }) };
}

/** A plan that gets an earlier state must not continue at once: the interval of its milestone begins again, and safeguards count anew. */
function withPlansCountingAgain({ now }: CommandContext, current: Feature, wanted: Feature): Feature {
  const environments = wanted.environments.map((settings) => {
    const { environment, releasePlan, enabled, safeguards } = settings;
    const before = featureEnvironment(current, environment);
    const isSwitched = enabled !== before.enabled;
    const countsAgain = safeguards && (isSwitched || !isSameJson(safeguards, before.safeguards));
    const guarded = countsAgain ? { ...settings, guardedFrom: now } : settings;
    if (!releasePlan || (!isSwitched && isSameJson(releasePlan, before.releasePlan))) return guarded;
    return { ...guarded, releasePlan: { ...releasePlan, countingFrom: now, guardedFrom: now } };
  });
  return { ...wanted, environments };
}

/** A plan that was added while the flag was off starts when an undo switches the flag on. */
function startWaitingPlans(context: CommandContext, name: string): void {
  for (const { environment } of context.draft.get('features', name)?.environments ?? []) {
    const feature = context.draft.get('features', name) as Feature;
    const config = featureEnvironment(feature, environment);
    if (config.enabled && config.releasePlan?.activeMilestoneId === null) continuePlan(context, feature, config);
  }
}

/** SDKs get the strategies of the environment: the plan must not show others for its active milestone. */
function planConflict({ name, environments }: Feature): Rejection | undefined {
  for (const { environment, strategies, releasePlan } of environments) {
    const active = releasePlan && activeMilestone(releasePlan);
    const differs = active?.strategies.some((planned) => {
      const current = strategies.find(({ id }) => id === planned.id);
      return !current || !isSameJson(current, planned);
    });
    if (differs)
      return conflict(
        `The milestone ${active?.name} of the flag ${name} in the environment ${environment} was started after this change; nothing was undone.`,
      );
  }
  return undefined;
}

/** A safeguard must not switch flags off for a caller who may not. */
function safeguardProblem(context: CommandContext, current: Feature | undefined, wanted: Feature) {
  const switching = ({ releasePlan, safeguards = [] }: FeatureEnvironment) =>
    [...(releasePlan?.safeguards ?? []), ...safeguards].filter(({ action }) => action === 'disable');
  for (const settings of wanted.environments) {
    const { environment } = settings;
    const known = current ? switching(featureEnvironment(current, environment)) : [];
    const isNew = switching(settings).some(({ id }) => !known.some((one) => one.id === id));
    const problem = isNew && permissionProblem(context, ['UPDATE_FEATURE_ENVIRONMENT'], wanted.project, environment);
    if (problem) return problem;
  }
  return undefined;
}

/** Undoes the deletion of a flag. */
function* recreate(context: CommandContext, feature: Feature): Steps<boolean | Rejection> {
  const { draft, emit } = context;
  const project = findProject(draft, feature.project);
  if (project instanceof Rejection) return project;
  const problem =
    permissionProblem(context, ['CREATE_FEATURE'], feature.project) ??
    switchProblem(context, feature) ??
    safeguardProblem(context, undefined, feature) ??
    featureNameProblem(draft, feature.name) ??
    featureLimitProblem(draft, project, 1) ??
    (yield* flagProblem(context, undefined, feature));
  if (problem) return problem;
  draft.put('features', withPlansCountingAgain(context, { ...feature, environments: [] }, feature));
  emit({ type: 'feature-created', project: feature.project, featureName: feature.name, data: feature });
  return true;
}

/** Every other way to create a flag leaves it off for callers who may not switch it on. */
function switchProblem(context: CommandContext, { project, archived, environments }: Feature): Rejection | undefined {
  if (archived) return undefined;
  for (const { environment, enabled } of environments) {
    const problem = enabled && permissionProblem(context, ['UPDATE_FEATURE_ENVIRONMENT'], project, environment);
    if (problem) return problem;
  }
  return undefined;
}

/** Undoes the creation of a flag. */
function* removeAgain(context: CommandContext, { name, project }: Feature): Steps<Rejection | undefined> {
  const problem =
    permissionProblem(context, ['DELETE_FEATURE'], project) ??
    (yield* archiveAll(context, project, [name])) ??
    (yield* decideInSteps(deleteFeatures, context, { project, names: [name] }));
  return problem instanceof Rejection ? problem : undefined;
}

/** Moves, archives or revives the flag by the commands that also take care of what belongs to it. */
function* useOtherCommands(context: CommandContext, current: Feature, merged: Feature): Steps<Rejection | undefined> {
  const { name } = current;
  if (merged.project !== current.project) {
    const input = { project: current.project, name, newProject: merged.project };
    const moved = yield* decideInSteps(moveFeature, context, input);
    if (moved instanceof Rejection) return moved;
  }
  if (merged.archived === current.archived) return undefined;
  const batch = { project: merged.project, names: [name] };
  return merged.archived
    ? yield* archiveAll(context, batch.project, batch.names)
    : yield* decideInSteps(reviveFeatures, context, batch);
}

/** Returns a rejection if the caller may not make these changes with ordinary edits. */
function editProblem(context: CommandContext, current: Feature, merged: Feature): Rejection | undefined {
  const { project } = current;
  if (merged.project !== project) {
    for (const id of [project, merged.project]) {
      const problem = permissionProblem(context, ['MOVE_FEATURE_TOGGLE'], id);
      if (problem) return problem;
    }
  }
  for (const { path, before, after } of fieldChanges(current, merged)) {
    const [, field = '', environment = '', part = '', strategy, ...rest] = path.split('/').map(unescaped);
    if (field === 'project' || field === 'archivedAt' || field === 'collaborators') continue;
    const isOfEnvironment = field === 'environments' && environment !== '' && environment !== '#order';
    const needed = isOfEnvironment
      ? permissionsIn(part, strategy !== undefined && strategy !== '#order' && rest.length === 0, before, after)
      : permissionsFor(field, merged);
    for (const permission of needed) {
      const problem = permissionProblem(context, [permission], project, isOfEnvironment ? environment : null);
      if (problem) return problem;
    }
  }
  return undefined;
}

function unescaped(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function permissionsFor(field: string, { archived }: Feature): readonly Permission[] {
  if (field === 'dependencies') return ['UPDATE_FEATURE_DEPENDENCY'];
  return field === 'archived' && archived ? ['DELETE_FEATURE'] : ['UPDATE_FEATURE'];
}

/** An undo of a plan may put strategies in use, and remove others. */
const PLAN_PERMISSIONS: readonly Permission[] = [
  'CREATE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_STRATEGY',
  'DELETE_FEATURE_STRATEGY',
];

function permissionsIn(part: string, isWholeStrategy: boolean, before: unknown, after: unknown): readonly Permission[] {
  if (part === 'variants') return ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS'];
  if (part === 'enabled' || part === 'firstEnabledAt') return ['UPDATE_FEATURE_ENVIRONMENT'];
  // The settings of the environment as a whole, or all of its strategies, appear or disappear.
  if (part === 'releasePlan') return PLAN_PERMISSIONS;
  if (part === 'safeguards' || part === 'guardedFrom') return ['UPDATE_FEATURE_STRATEGY'];
  if (part === '' || (part === 'strategies' && !isWholeStrategy && (before === undefined || after === undefined))) {
    return ['UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'];
  }
  if (!isWholeStrategy) return ['UPDATE_FEATURE_STRATEGY'];
  return before === undefined
    ? ['CREATE_FEATURE_STRATEGY']
    : after === undefined
      ? ['DELETE_FEATURE_STRATEGY']
      : ['UPDATE_FEATURE_STRATEGY'];
}

/** Returns why the flag cannot have this state now: something that it refers to does not exist any more, or its parts do not fit together. */
function* flagProblem(
  context: CommandContext,
  current: Feature | undefined,
  merged: Feature,
): Steps<Rejection | undefined> {
  const { draft } = context;
  const project = findProject(draft, merged.project);
  if (project instanceof Rejection) return project;
  const problem = dependenciesProblem(context, current, merged) ?? tagProblem(context, current, merged);
  if (problem) return problem;
  for (const settings of merged.environments) {
    const before = current && featureEnvironment(current, settings.environment);
    if (before && isSameJson(before, settings)) continue;
    const settingsRejection = yield* settingsProblem(context, project, merged, settings, before);
    if (settingsRejection) return settingsRejection;
  }
  return undefined;
}

function* settingsProblem(
  { draft }: CommandContext,
  project: Project,
  { name: featureName }: Feature,
  settings: FeatureEnvironment,
  before: FeatureEnvironment | undefined,
): Steps<Rejection | undefined> {
  const environment = findProjectEnvironment(draft, project.id, settings.environment);
  if (environment instanceof Rejection) return environment;
  const planned = (config: FeatureEnvironment | undefined) =>
    config?.releasePlan?.milestones.flatMap(({ strategies }) => strategies) ?? [];
  const knownStrategies = [...(before?.strategies ?? []), ...planned(before)];
  for (const strategy of [...settings.strategies, ...planned(settings)]) {
    const known = knownStrategies.find(({ id }) => id === strategy.id);
    if (known && isSameJson(known, strategy)) continue;
    const valid = yield* validateStrategy(draft, { project, featureName, isImported: true }, strategy, known);
    if (valid instanceof Rejection) return valid;
  }
  if (isSameJson(settings.variants, before?.variants)) return undefined;
  const variants = yield* validateVariants(settings.variants);
  return variants instanceof Rejection ? variants : undefined;
}

function dependenciesProblem({ draft }: CommandContext, current: Feature | undefined, merged: Feature) {
  if (isSameJson(current?.dependencies ?? [], merged.dependencies) || merged.dependencies.length === 0)
    return undefined;
  for (const dependency of merged.dependencies) {
    const obstacle = parentObstacle((name) => draft.get('features', name), merged, dependency);
    if (obstacle) {
      return notAllowed(`${merged.name} cannot depend on ${dependency.feature}: ${PARENT_OBSTACLES[obstacle]}.`);
    }
  }
  return hasChildren(draft, merged.name)
    ? notAllowed(`${merged.name} cannot depend on a feature: it is itself the parent of another one.`)
    : undefined;
}

function tagProblem({ draft }: CommandContext, current: Feature | undefined, merged: Feature): Rejection | undefined {
  for (const { type, value } of merged.tags) {
    const isKnown = current?.tags.some((tag) => tag.type === type && tag.value === value);
    if (!isKnown && !draft.get('tagTypes', type)) return conflict(`The tag type ${type} does not exist any more.`);
  }
  return undefined;
}

/** Records the undo with an event for the flag itself, and one for each environment whose settings changed. */
function recordUndo({ emit }: CommandContext, revision: number, before: Feature, after: Feature): void {
  const location = { project: after.project, featureName: after.name, tags: after.tags };
  const environments = new Set([...before.environments, ...after.environments].map(({ environment }) => environment));
  let isRecorded = false;
  for (const environment of environments) {
    const settings = [before, after].map((feature) => featureEnvironment(feature, environment));
    if (isSameJson(settings[0], settings[1])) continue;
    isRecorded = true;
    emit({
      ...location,
      environment,
      type: 'feature-change-undone',
      data: { revision, fields: fieldChanges(settings[0], settings[1]) },
    });
  }
  const [baseBefore, baseAfter] = [before, after].map(({ environments: _environments, ...base }) => base);
  const fields = fieldChanges(baseBefore, baseAfter);
  if (fields.length > 0 || !isRecorded)
    emit({ ...location, type: 'feature-change-undone', data: { revision, fields } });
}
