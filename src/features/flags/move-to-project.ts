import Type from 'typebox';
import { permissionProblem } from '../../access/permission-problem.ts';
import { invalid, notAllowed, Rejection } from '../../base/rejection.ts';
import { command } from '../../engine/command.ts';
import { ALL } from '../../model/api-token.ts';
import type { Feature } from '../../model/feature.ts';
import { NameReference } from '../../model/primitives.ts';
import type { Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';
import { findFeature, findProject } from '../shared/lookup.ts';
import { hasChildren } from './archive/commands.ts';
import { namingProblem } from './naming.ts';
import { featureLimitProblem } from './project-flag-limit.ts';

/**
 * Moves a flag to another project, with its whole configuration. The caller needs the permission to move flags in both projects, and the permission
 * to create flags in the new project. The move must not change the behaviour of the flag: the new project must have each environment in which the
 * flag is configured, and must be allowed to use the segments of the flag.
 */
export const moveFeature = command({
  name: 'move-feature',
  input: Type.Object({ project: NameReference, name: NameReference, newProject: NameReference }),
  decide(context, { project, name, newProject }) {
    const { draft, now, emit } = context;
    const feature = findFeature(draft, project, name);
    if (feature instanceof Rejection) return feature;
    for (const permission of ['MOVE_FEATURE_TOGGLE', 'CREATE_FEATURE'] as const) {
      const refusal = permissionProblem(context, [permission], newProject);
      if (refusal) return refusal;
    }
    const [from, to] = [findProject(draft, project), findProject(draft, newProject)];
    if (from instanceof Rejection) return from;
    if (to instanceof Rejection) return to;
    if (from.id === to.id) return feature;
    const problem = moveProblem(draft, feature, to);
    if (problem) return problem;
    const movedFeature: Feature = { ...feature, project: to.id };
    draft.put('features', movedFeature);
    for (const changedProject of [from, to]) draft.put('projects', { ...changedProject, updatedAt: now });
    // The event names both projects: only callers that may read both of them see it.
    const location = { project: `${from.id},${to.id}`, featureName: name, tags: feature.tags };
    emit({ ...location, type: 'feature-project-change', data: { oldProject: from.id, newProject: to.id } });
    return movedFeature;
  },
});

/** Returns the reason why the flag cannot move to the project, or undefined. */
function moveProblem(reader: StateReader, feature: Feature, to: Project): Rejection | undefined {
  const { name, dependencies } = feature;
  if (dependencies.length > 0 || hasChildren(reader, name))
    return notAllowed(`The feature ${name} cannot change its project: it has dependencies.`);
  if (reader.count('requestsByFeature', name) > 0 || reader.count('requestsByParent', name) > 0)
    return notAllowed(`The feature ${name} cannot change its project: open change requests would change the feature.`);
  return (
    environmentProblem(feature, to) ??
    segmentProblem(reader, feature, to) ??
    namingProblem(to, name) ??
    featureLimitProblem(reader, to, 1)
  );
}

function environmentProblem({ name, environments }: Feature, to: Project): Rejection | undefined {
  for (const { environment, enabled, strategies, variants, releasePlan, safeguards } of environments) {
    const isConfigured = enabled || strategies.length > 0 || variants.length > 0 || (releasePlan ?? safeguards);
    if (!isConfigured || to.environments.includes(environment)) continue;
    return invalid(
      `The feature ${name} cannot move to the project ${to.id}, which does not have the environment ${environment}.`,
      '/newProjectId',
    );
  }
  return undefined;
}

function segmentProblem(reader: StateReader, { name, environments }: Feature, to: Project): Rejection | undefined {
  for (const { strategies, releasePlan } of environments) {
    const later = (releasePlan?.milestones ?? []).flatMap((milestone) => milestone.strategies);
    for (const id of new Set([...strategies, ...later].flatMap(({ segments }) => segments))) {
      const segmentProject = reader.get('segments', String(id))?.project ?? ALL;
      if (segmentProject === ALL || segmentProject === to.id) continue;
      return invalid(
        `The feature ${name} cannot move to the project ${to.id}: the segment ${id} belongs to its current project only.`,
        '/newProjectId',
      );
    }
  }
  return undefined;
}
