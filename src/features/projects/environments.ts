import Type from 'typebox';
import { assert } from '../../base/assert.ts';
import { conflict, invalid, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, longCommand, removing } from '../../engine/command.ts';
import { NameReference } from '../../model/primitives.ts';
import type { Project } from '../../model/project.ts';
import { forgetDefaultStrategy } from '../flags/strategies/default-strategies.ts';
import { findProject } from '../shared/lookup.ts';

const ProjectEnvironmentInput = Type.Object({ project: NameReference, environment: NameReference });

/** Adds an environment to a project. The project's flags are off in the environment until a user switches them on. */
export const addProjectEnvironment = longCommand({
  name: 'add-project-environment',
  input: ProjectEnvironmentInput,
  *decide(context, input) {
    const { draft, now, emit } = context;
    const project = findProject(draft, input.project);
    if (project instanceof Rejection) return project;
    const environment = draft.get('environments', input.environment);
    if (!environment) return invalid(`The environment ${input.environment} does not exist.`, '/environment');
    if (project.environments.includes(environment.name)) {
      return conflict(`The project ${project.id} has the environment ${environment.name} already.`);
    }
    if (!environment.enabled) {
      return conflict(`The environment ${environment.name} is switched off; switch it on before projects use it.`);
    }
    // An older version may have been interrupted while it removed the environment. Configuration that was left must not take effect again.
    yield* forgetConfiguration(context, project.id, environment.name);
    draft.put('projects', {
      ...project,
      environments: [...project.environments, environment.name],
      updatedAt: now,
    });
    emit({ type: 'project-environment-added', project: project.id, environment: environment.name });
    return undefined;
  },
});

/**
 * Removes the environment from the project, with the configuration of the project's flags in the environment. Clients of the environment then get
 * none of the project's flags. Does nothing if the project does not have the environment.
 */
export const removeProjectEnvironment = longCommand({
  name: 'remove-project-environment',
  input: ProjectEnvironmentInput,
  *decide(context, input) {
    const project = findProject(context.draft, input.project);
    if (project instanceof Rejection) return project;
    if (project.environments.includes(input.environment)) yield* detachEnvironment(context, project, input.environment);
    return undefined;
  },
});

/** Removes an environment from a project that has it, with the configuration of the project's flags in the environment. */
export function* detachEnvironment(context: CommandContext, project: Project, environment: string): Steps<void> {
  yield* forgetConfiguration(context, project.id, environment);
  yield* leaveEnvironment(context, project, environment);
}

/** Removes an environment from a project that has it. What its flags have there has no effect, and stays. */
export function* leaveEnvironment(context: CommandContext, project: Project, environment: string): Steps<void> {
  const { draft, now, emit } = context;
  const environments = project.environments.filter((name) => name !== environment);
  draft.put('projects', { ...project, environments, updatedAt: now });
  forgetDefaultStrategy(draft, project.id, environment);
  yield* removing(context, 'projectEnvironment', { project: project.id, environment });
  emit({ type: 'project-environment-removed', project: project.id, environment });
}

/** Removes the configuration that the project's flags have in the environment. */
export function* forgetConfiguration({ draft }: CommandContext, project: string, environment: string): Steps<void> {
  // The names are collected first, because the lookup would return changed flags again.
  const names: string[] = [];
  for (const feature of draft.lookup('featuresByProject', project)) {
    if (feature.environments.some((entry) => entry.environment === environment)) names.push(feature.name);
    yield;
  }
  for (const name of names) {
    const feature = draft.get('features', name);
    assert(feature, 'a draft changes only by its command');
    const environments = feature.environments.filter((entry) => entry.environment !== environment);
    draft.put('features', { ...feature, environments });
    yield;
  }
}
