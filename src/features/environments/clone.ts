import Type from 'typebox';
import { isHidden, permissionProblem } from '../../access/permission-problem.ts';
import { assert } from '../../base/assert.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, longCommand } from '../../engine/command.ts';
import { ALL } from '../../model/api-token.ts';
import { defaultStrategyKey } from '../../model/default-strategy.ts';
import { Environment } from '../../model/environment.ts';
import type { Feature, FeatureEnvironment } from '../../model/feature.ts';
import { PROJECT_LIMITS } from '../../model/limits/projects.ts';
import { NameReference } from '../../model/primitives.ts';
import type { Project } from '../../model/project.ts';
import { writtenFields } from '../shared/entity-fields.ts';
import { limitRejection } from '../shared/limit-checks.ts';
import { findEnvironment, findProject } from '../shared/lookup.ts';
import { DEFAULT_SORT_ORDER, environmentNameProblem } from './commands.ts';

export const CloneFields = {
  ...writtenFields(Environment, 'name', 'type'),
  projects: Type.Optional(
    Type.Array(NameReference, {
      maxItems: PROJECT_LIMITS.projects.max,
      description:
        'Projects that get the new environment; none or `*`: every project that has the old one. Projects without the old one are skipped',
    }),
  ),
  clonePermissions: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Whether roles get the permissions in the new environment that they have in the old environment',
    }),
  ),
};

/**
 * Creates a copy of an environment. For each of the projects, it copies the default strategy and the configuration of the flags: strategies, variants
 * and on/off state. It also copies the permissions that roles have in the environment. The caller must be allowed to change every project that gets
 * the copy. The audit log gets events for the environment, its projects and the roles. It gets no events for the flags, because the configuration of
 * the flags follows from the other events.
 */
export const cloneEnvironment = longCommand({
  name: 'clone-environment',
  input: Type.Object({ source: NameReference, ...CloneFields }),
  *decide(context, input) {
    const { draft, emit } = context;
    const source = findEnvironment(draft, input.source);
    if (source instanceof Rejection) return source;
    const nameProblem = environmentNameProblem(draft, input.name);
    if (nameProblem) return nameProblem;
    const projects = yield* projectsToClone(context, source.name, input.projects ?? []);
    if (projects instanceof Rejection) return projects;
    const limitProblem = yield* flagsProblem(context, projects);
    if (limitProblem) return limitProblem;
    const { name, type } = input;
    const environment: Environment = {
      name,
      type,
      enabled: true,
      protected: false,
      sortOrder: DEFAULT_SORT_ORDER,
      ...(source.requireReason && { requireReason: true }),
      ...(source.fetchMode && { fetchMode: source.fetchMode }),
    };
    draft.put('environments', environment);
    emit({ type: 'environment-created', environment: name, data: { ...environment, clonedFrom: source.name } });
    for (const project of projects) yield* cloneInto(context, project, source.name, name);
    if (input.clonePermissions ?? true) yield* clonePermissions(context, source.name, name);
    return environment;
  },
});

/**
 * Returns the projects that get the environment, or a rejection if the caller may not change one of them. Projects that the caller must not see are
 * treated as missing.
 */
function* projectsToClone(
  context: CommandContext,
  source: string,
  ids: readonly string[],
): Steps<ReadonlySet<Project> | Rejection> {
  const { draft } = context;
  const takesAllProjects = ids.length === 0 || ids.includes(ALL);
  const projectIds = takesAllProjects ? [...draft.lookup('projectsByEnvironment', source)].map(({ id }) => id) : ids;
  const projects = new Set<Project>();
  for (const [index, id] of projectIds.entries()) {
    yield;
    const project = findProject(draft, id);
    const isUnknown = project instanceof Rejection || isHidden(context, id);
    if (isUnknown && !takesAllProjects) return invalid(`The project ${id} does not exist.`, `/projects/${index}`);
    if (isUnknown || !project.environments.includes(source)) continue;
    const refusal = permissionProblem(context, ['UPDATE_PROJECT'], id);
    if (refusal) return refusal;
    projects.add(project);
  }
  return projects;
}

/**
 * Returns a rejection if the projects have too many flags, otherwise undefined. The clone stores every flag again in one commit. With too many flags,
 * it would take too long or be too large for one commit.
 */
function* flagsProblem(
  { draft, limits }: CommandContext,
  projects: ReadonlySet<Project>,
): Steps<Rejection | undefined> {
  let count = 0;
  for (const { id } of projects) {
    count += draft.count('featuresByProject', id);
    yield;
  }
  if (count <= limits.environmentCloneFlags) return undefined;
  return limitRejection('The clone', 'environmentCloneFlags', count, limits);
}

function* cloneInto(context: CommandContext, project: Project, source: string, name: string): Steps<void> {
  const { draft, now, emit } = context;
  draft.put('projects', { ...project, environments: [...project.environments, name], updatedAt: now });
  emit({ type: 'project-environment-added', project: project.id, environment: name });
  const defaultStrategy = draft.get('defaultStrategies', defaultStrategyKey(project.id, source));
  if (defaultStrategy) {
    draft.put('defaultStrategies', { ...defaultStrategy, environment: name });
    emit({
      type: 'default-strategy-updated',
      project: project.id,
      environment: name,
      data: defaultStrategy.strategy,
    });
  }
  // The names are collected first, because the lookup would return changed flags again.
  const names: string[] = [];
  for (const feature of draft.lookup('featuresByProject', project.id)) {
    if (feature.environments.some(({ environment }) => environment === source || environment === name))
      names.push(feature.name);
    yield;
  }
  for (const featureName of names) {
    const feature = draft.get('features', featureName);
    assert(feature, 'a draft changes only by its command');
    draft.put('features', withClone(context, feature, source, name));
    yield;
  }
}

/**
 * Returns the flag with the copied configuration. An older version may have left configuration of a deleted environment with the same name in the
 * flag. Such configuration is removed, because it must not take effect again.
 */
function withClone({ newId }: CommandContext, feature: Feature, source: string, name: string): Feature {
  const environments: FeatureEnvironment[] = feature.environments.filter(({ environment }) => environment !== name);
  const original = environments.find(({ environment }) => environment === source);
  if (original) {
    const strategies = original.strategies.map((strategy) => ({ ...strategy, id: newId() }));
    const { releasePlan: _plan, safeguards: _safeguards, guardedFrom: _from, ...settings } = original;
    environments.push({ ...settings, environment: name, strategies });
  }
  return { ...feature, environments };
}

function* clonePermissions({ draft, emit }: CommandContext, source: string, name: string): Steps<void> {
  for (const role of [...draft.lookup('rolesByEnvironment', source)]) {
    const clonedPermissions = role.permissions.flatMap((permission) =>
      permission.environment === source ? [{ ...permission, environment: name }] : [],
    );
    const after = { ...role, permissions: [...role.permissions, ...clonedPermissions] };
    draft.put('roles', after);
    emit({ type: 'role-updated', data: after, preData: role });
    yield;
  }
}
