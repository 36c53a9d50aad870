import Type from 'typebox';
import { isHidden, permissionProblem } from '../../../access/permission-problem.ts';
import { conflict, notAllowed, notFound, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, longCommand, removing } from '../../../engine/command.ts';
import type { Feature } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { findFeature, findFeatures, findProject } from '../../shared/lookup.ts';
import { forgetLifecycle, restartLifecycle } from '../../usage/lifecycle-commands.ts';
import { forgetFavoritesOf } from '../favorites/commands.ts';
import { featureLimitProblem } from '../project-flag-limit.ts';

export const FeatureBatch = Type.Object({ project: NameReference, names: Type.Array(NameReference) });

/** Moves flags to the archive, all or none. */
export const archiveFeatures = longCommand({
  name: 'archive-features',
  input: FeatureBatch,
  decide: (context, { project, names }) => archiveAll(context, project, names),
});

/**
 * Archives the flags. An archived flag is off in every environment, so that a revived flag is off too. An archived flag has no dependencies, so that
 * a revival cannot make a flag both a parent and a child. A parent can be archived only together with all its children. Flags that are already
 * archived do not change.
 */
export function* archiveAll(
  context: CommandContext,
  project: string,
  names: readonly string[],
): Steps<Rejection | undefined> {
  const { draft, now, emit } = context;
  const foundFeatures = yield* findFeatures(draft, project, names, 'any');
  if (foundFeatures instanceof Rejection) return foundFeatures;
  const features = foundFeatures.filter(({ archived }) => !archived);
  const archivedNames = new Set(names);
  for (const { name } of features) {
    const children = yield* namesOfRemainingChildren(draft, name, archivedNames);
    if (children) return notAllowed(`The feature ${name} cannot be archived: ${children} depend on it.`);
  }
  for (const feature of features) {
    const environments = feature.environments.map((environment) =>
      environment.enabled ? { ...environment, enabled: false } : environment,
    );
    draft.put('features', { ...feature, archived: true, archivedAt: now, environments, dependencies: [] });
    const location = { project, featureName: feature.name, tags: feature.tags };
    if (feature.dependencies.length > 0) {
      emit({ ...location, type: 'feature-dependencies-removed', preData: { dependencies: feature.dependencies } });
    }
    emit({ ...location, type: 'feature-archived', data: { archivedAt: now }, preData: { archivedAt: null } });
    yield* removing(context, 'archivedFlag', feature.name);
    yield;
  }
  return undefined;
}

/** Maximum number of flags that a rejection names; further flags are only counted. */
const NAMES_IN_REJECTION_MAX = 10;

/** Returns the names of the live flags that depend on `name` and are not in `archivedNames`, as a text for people; undefined if there are none. */
export function* namesOfRemainingChildren(
  reader: StateReader,
  name: string,
  archivedNames: ReadonlySet<string>,
): Steps<string | undefined> {
  const names: string[] = [];
  let count = 0;
  for (const child of reader.lookup('featuresByParent', name)) {
    yield;
    if (archivedNames.has(child.name)) continue;
    count++;
    if (names.length < NAMES_IN_REJECTION_MAX) names.push(child.name);
  }
  if (count === 0) return undefined;
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return names.sort().join(', ') + more;
}

/** Whether any live flag depends on the flag `name`. */
export function hasChildren(reader: StateReader, name: string): boolean {
  for (const _child of reader.lookup('featuresByParent', name)) return true;
  return false;
}

/** Revives archived flags, all or none. They become live flags that are off in every environment. */
export const reviveFeatures = longCommand({
  name: 'revive-features',
  input: FeatureBatch,
  *decide(context, { project, names }) {
    const { draft, emit } = context;
    const features = yield* findArchived(draft, project, names);
    if (features instanceof Rejection) return features;
    const owningProject = findProject(draft, project);
    if (owningProject instanceof Rejection) return owningProject;
    const limitProblem = featureLimitProblem(draft, owningProject, features.length);
    if (limitProblem) return limitProblem;
    for (const feature of features) {
      draft.put('features', { ...feature, archived: false, archivedAt: null });
      restartLifecycle(context, feature.name);
      emit({
        type: 'feature-revived',
        project,
        featureName: feature.name,
        data: { archivedAt: null },
        preData: { archivedAt: feature.archivedAt },
        tags: feature.tags,
      });
      yield;
    }
    return undefined;
  },
});

/** Deletes archived flags permanently, all or none. Their names can be used again afterwards. */
export const deleteFeatures = longCommand({
  name: 'delete-features',
  input: FeatureBatch,
  *decide(context, { project, names }) {
    const { draft, emit } = context;
    const features = yield* findArchived(draft, project, names);
    if (features instanceof Rejection) return features;
    for (const feature of features) {
      draft.remove('features', feature.name);
      if (draft.get('staleMarks', feature.name)) draft.remove('staleMarks', feature.name);
      yield* forgetFavoritesOf(draft, 'feature', feature.name);
      forgetLifecycle(context, feature.name);
      emit({ type: 'feature-deleted', project, featureName: feature.name, preData: feature, tags: feature.tags });
      yield;
    }
    yield* removing(context, 'flags', new Set(names));
    return undefined;
  },
});

/** Like `reviveFeatures`, for a flag whose project the caller does not name. */
export const reviveFeature = longCommand({
  name: 'revive-feature',
  input: Type.Object({ name: NameReference }),
  *decide(context, { name }) {
    const feature = context.draft.get('features', name);
    if (!feature || isHidden(context, feature.project)) return notFound(`The feature ${name} does not exist.`);
    const problem = permissionProblem(context, ['UPDATE_FEATURE'], feature.project);
    if (problem) return problem;
    return yield* reviveFeatures.decide(context, { project: feature.project, names: [name] });
  },
});

/** Like `deleteFeatures`, for a flag whose project the caller does not name. A flag that is not archived stays as it is. */
export const deleteFeature = longCommand({
  name: 'delete-feature',
  input: Type.Object({ name: NameReference }),
  *decide(context, { name }) {
    const feature = context.draft.get('features', name);
    if (!feature || isHidden(context, feature.project)) return notFound(`The feature ${name} does not exist.`);
    const problem = permissionProblem(context, ['DELETE_FEATURE'], feature.project);
    if (problem) return problem;
    if (!feature.archived) return undefined;
    return yield* deleteFeatures.decide(context, { project: feature.project, names: [name] });
  },
});

function* findArchived(reader: StateReader, project: string, names: readonly string[]): Steps<Feature[] | Rejection> {
  const owningProject = findProject(reader, project);
  if (owningProject instanceof Rejection) return owningProject;
  const features: Feature[] = [];
  for (const name of new Set(names)) {
    const feature = findFeature(reader, project, name, 'any');
    if (feature instanceof Rejection) return feature;
    if (!feature.archived) return conflict(`The feature ${name} is not archived.`);
    features.push(feature);
    yield;
  }
  return features;
}
