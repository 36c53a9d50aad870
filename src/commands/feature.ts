import { conflict, Rejection } from '../base/rejection.ts';
import type { Feature, FeatureType } from '../model/feature.ts';
import type { Command, CommandContext } from './command.ts';
import { findFeature, findProject } from './lookup.ts';

export interface CreateFeatureInput {
  readonly project: string;
  readonly name: string;
  readonly type?: FeatureType;
  readonly description?: string | null;
  readonly impressionData?: boolean;
}

/** Creates a flag, off everywhere. Names are unique over all projects, archived flags included. */
export const createFeature: Command<CreateFeatureInput, Feature> = ({ draft, by, now, emit }, input) => {
  const project = findProject(draft, input.project);
  if (project instanceof Rejection) return project;
  const existing = draft.get('features', input.name);
  if (existing) {
    return conflict(
      `A feature with the name ${input.name} already exists${existing.archived ? '; it is archived' : ''}.`,
    );
  }
  const feature: Feature = {
    name: input.name,
    project: project.id,
    type: input.type ?? 'release',
    description: input.description ?? null,
    stale: false,
    archived: false,
    archivedAt: null,
    impressionData: input.impressionData ?? false,
    createdAt: now,
    createdBy: by,
    tags: [],
    dependencies: [],
    environments: [],
  };
  draft.put('features', feature);
  emit({ type: 'feature-created', project: project.id, featureName: feature.name, data: feature });
  return feature;
};

export interface UpdateFeatureInput {
  readonly project: string;
  readonly name: string;
  readonly type?: FeatureType;
  readonly description?: string | null;
  readonly impressionData?: boolean;
  readonly stale?: boolean;
  readonly archived?: boolean;
}

/** Changes the given properties and no others. `archived: true` moves the flag to the archive. */
export const updateFeature: Command<UpdateFeatureInput, Feature> = (
  context,
  { project, name, archived, stale, ...rest },
) => {
  const { draft, emit } = context;
  const before = findFeature(draft, project, name);
  if (before instanceof Rejection) return before;
  const after: Feature = { ...before, ...definedOnly(rest) };
  draft.put('features', after);
  emit({
    type: 'feature-metadata-updated',
    project,
    featureName: name,
    data: metadata(after),
    preData: metadata(before),
  });
  if (stale !== undefined && stale !== before.stale) setStale(context, after, stale);
  if (archived === true) {
    const rejection = archive(context, project, name);
    if (rejection) return rejection;
  }
  return draft.get('features', name) ?? after;
};

function setStale({ draft, emit }: CommandContext, feature: Feature, stale: boolean): void {
  draft.put('features', { ...feature, stale });
  emit({ type: stale ? 'feature-stale-on' : 'feature-stale-off', project: feature.project, featureName: feature.name });
}

/** Moves a flag to the archive, switched off everywhere, so that reviving it turns nothing on. Parents of live flags stay. */
export function archive({ draft, now, emit }: CommandContext, project: string, name: string): Rejection | undefined {
  const feature = findFeature(draft, project, name);
  if (feature instanceof Rejection) return feature;
  const children = [...draft.lookup('featuresByParent', name)]
    .filter((child) => !child.archived)
    .map((child) => child.name);
  if (children.length > 0) {
    return conflict(`The feature ${name} cannot be archived: ${children.join(', ')} depend on it.`);
  }
  const environments = feature.environments.map((environment) => ({ ...environment, enabled: false }));
  draft.put('features', { ...feature, archived: true, archivedAt: now, environments });
  emit({ type: 'feature-archived', project, featureName: name, data: { archivedAt: now } });
  return undefined;
}

/** The properties that were given. `undefined` in a request means "leave it". */
export function definedOnly<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, property]) => property !== undefined)) as never;
}

function metadata({ name, description, type, impressionData, project, stale }: Feature) {
  return { name, description, type, impressionData, project, stale };
}
