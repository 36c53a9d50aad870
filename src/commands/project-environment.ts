import Type from 'typebox';
import { conflict, invalid, Rejection } from '../base/rejection.ts';
import { NameReference } from '../model/primitives.ts';
import type { Project } from '../model/project.ts';
import { type CommandContext, command } from './command.ts';
import { findProject, findProjectEnvironment } from './lookup.ts';

const ProjectEnvironmentInput = Type.Object({ project: NameReference, environment: NameReference });

/** Lets the project's flags be switched in an environment. They are off there until somebody switches them on. */
export const addProjectEnvironment = command({
  name: 'add-project-environment',
  input: ProjectEnvironmentInput,
  decide({ draft, now, emit }, input) {
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
    draft.put('projects', {
      ...project,
      environments: [...project.environments, environment.name],
      updatedAt: now,
    });
    emit({ type: 'project-environment-added', project: project.id, environment: environment.name });
    return undefined;
  },
});

/** Takes the environment from the project: its clients get none of the project's flags from now on, even those that are on. */
export const removeProjectEnvironment = command({
  name: 'remove-project-environment',
  input: ProjectEnvironmentInput,
  decide(context, input) {
    const environment = findProjectEnvironment(context.draft, input.project, input.environment);
    if (environment instanceof Rejection) return environment;
    const project = findProject(context.draft, input.project);
    if (project instanceof Rejection) return project;
    disconnect(context, project, environment.name);
    return undefined;
  },
});

/** Takes an environment that the project has from it. */
export function disconnect({ draft, now, emit }: CommandContext, project: Project, environment: string): void {
  const environments = project.environments.filter((name) => name !== environment);
  draft.put('projects', { ...project, environments, updatedAt: now });
  emit({ type: 'project-environment-removed', project: project.id, environment });
}

/** Removes what flags had in an environment that their project does not have any more. Nobody sees it go: it was not served since. */
export const forgetConfiguration = command({
  name: 'forget-configuration',
  input: Type.Object({ ...ProjectEnvironmentInput.properties, features: Type.Array(NameReference) }),
  decide({ draft }, input) {
    const { project, environment } = input;
    // Connected again meanwhile: what is there now is wanted.
    if (draft.get('projects', project)?.environments.includes(environment)) return undefined;
    for (const name of input.features) {
      const feature = draft.get('features', name);
      if (feature?.project !== project) continue;
      const environments = feature.environments.filter((entry) => entry.environment !== environment);
      if (environments.length < feature.environments.length) draft.put('features', { ...feature, environments });
    }
    return undefined;
  },
});
