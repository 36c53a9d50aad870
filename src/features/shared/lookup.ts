import { notFound, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Environment } from '../../model/environment.ts';
import type { Feature } from '../../model/feature.ts';
import type { Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';

/** The project, if it exists and is not archived. */
export function findProject(reader: StateReader, id: string): Project | Rejection {
  const project = reader.get('projects', id);
  return project && project.archivedAt === null ? project : notFound(`The project ${id} does not exist.`);
}

/**
 * The flag, if it belongs to the project: a flag of another project is reported as missing. `which` selects whether active flags, archived flags or
 * both are found.
 */
export function findFeature(
  reader: StateReader,
  projectId: string,
  name: string,
  which: 'active' | 'archived' | 'any' = 'active',
): Feature | Rejection {
  const project = findProject(reader, projectId);
  if (project instanceof Rejection) return project;
  const feature = reader.get('features', name);
  const isSelected = which === 'any' || feature?.archived === (which === 'archived');
  if (!feature || feature.project !== projectId || !isSelected) {
    return notFound(`The feature ${name} does not exist in the project ${projectId}.`);
  }
  return feature;
}

export function findEnvironment(reader: StateReader, name: string): Environment | Rejection {
  return reader.get('environments', name) ?? notFound(`The environment ${name} does not exist.`);
}

/** The environment, if the project is connected to it. */
export function findProjectEnvironment(reader: StateReader, projectId: string, name: string): Environment | Rejection {
  const project = findProject(reader, projectId);
  if (project instanceof Rejection) return project;
  const environment = findEnvironment(reader, name);
  if (environment instanceof Rejection) return environment;
  if (!project.environments.includes(name))
    return notFound(`The project ${projectId} does not have the environment ${name}.`);
  return environment;
}

/**
 * The flags with these names, without duplicates, in the order in which the names first occur. All of them must belong to the project. Archived flags
 * are found only with `any`.
 */
export function* findFeatures(
  reader: StateReader,
  projectId: string,
  names: readonly string[],
  which: 'active' | 'any' = 'active',
): Steps<Feature[] | Rejection> {
  const project = findProject(reader, projectId);
  if (project instanceof Rejection) return project;
  const features: Feature[] = [];
  for (const name of new Set(names)) {
    const feature = findFeature(reader, projectId, name, which);
    if (feature instanceof Rejection) return feature;
    features.push(feature);
    yield;
  }
  return features;
}
