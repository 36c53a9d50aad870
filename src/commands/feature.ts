import { conflict, Rejection } from '../base/rejection.ts';
import { atOnce } from '../base/yield-control.ts';
import type { Feature, FeatureTag, FeatureType } from '../model/feature.ts';
import type { StateReader } from '../state/collections.ts';
import type { Command, CommandContext, LongCommand } from './command.ts';
import { archiveAll } from './feature-archive.ts';
import { checkFeatureLimit } from './feature-limit.ts';
import { validateTags } from './feature-tag.ts';
import { findFeature, findFeatures, findProject } from './lookup.ts';

export interface CreateFeatureInput {
  readonly project: string;
  readonly name: string;
  readonly type?: FeatureType;
  readonly description?: string | null;
  readonly impressionData?: boolean;
  readonly tags?: readonly FeatureTag[];
}

/** Creates a flag, off everywhere. Names are unique over all projects, archived flags included. */
export const createFeature: Command<CreateFeatureInput, Feature> = ({ draft, by, now, emit }, input) => {
  const project = findProject(draft, input.project);
  if (project instanceof Rejection) return project;
  const taken = nameTaken(draft, input.name);
  if (taken) return taken;
  const overLimit = checkFeatureLimit(draft, project, 1);
  if (overLimit) return overLimit;
  const tags = validateTags(draft, input.tags ?? []);
  if (tags instanceof Rejection) return tags;
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
    tags,
    dependencies: [],
    environments: [],
  };
  draft.put('features', feature);
  emit({ type: 'feature-created', project: project.id, featureName: feature.name, data: feature });
  for (const tag of tags) emit({ type: 'feature-tagged', project: project.id, featureName: feature.name, data: tag });
  return feature;
};

/** Undefined when a new flag may have the name. */
export function nameTaken(reader: StateReader, name: string): Rejection | undefined {
  const existing = reader.get('features', name);
  if (!existing) return undefined;
  return conflict(`A feature with the name ${name} already exists${existing.archived ? '; it is archived' : ''}.`);
}

export interface FeatureMetadata {
  readonly type?: FeatureType | undefined;
  readonly description?: string | null | undefined;
  readonly impressionData?: boolean | undefined;
  readonly stale?: boolean | undefined;
  /** true moves the flag to the archive; false is how a flag that can be changed is anyway. */
  readonly archived?: boolean | undefined;
}

export interface UpdateFeatureInput {
  readonly project: string;
  readonly name: string;
  /** What becomes of it; what is undefined stays. Pure. */
  change(before: Feature): FeatureMetadata | Rejection;
}

/** Changes the given properties and no others. `archived: true` moves the flag to the archive. */
export const updateFeature: Command<UpdateFeatureInput, Feature> = (context, { project, name, change }) => {
  const { draft, emit } = context;
  const before = findFeature(draft, project, name);
  if (before instanceof Rejection) return before;
  const changed = change(before);
  if (changed instanceof Rejection) return changed;
  const { archived, stale, ...rest } = changed;
  const after: Feature = { ...before, ...definedOnly(rest) };
  draft.put('features', after);
  emit({
    type: 'feature-metadata-updated',
    project,
    featureName: name,
    data: metadata(after),
    preData: metadata(before),
  });
  if (stale !== undefined) setStale(context, after, stale);
  if (archived === true) {
    const rejection = atOnce(archiveAll(context, project, [name]));
    if (rejection) return rejection;
  }
  return draft.get('features', name) ?? after;
};

/** Marks flags as stale, or as no longer stale. */
export const markStale: LongCommand<{ project: string; names: readonly string[]; stale: boolean }, void> = function* (
  context,
  { project, names, stale },
) {
  const features = yield* findFeatures(context.draft, project, names);
  if (features instanceof Rejection) return features;
  for (const feature of features) {
    setStale(context, feature, stale);
    yield;
  }
  return undefined;
};

function setStale({ draft, emit }: CommandContext, feature: Feature, stale: boolean): void {
  if (feature.stale === stale) return;
  draft.put('features', { ...feature, stale });
  emit({
    type: stale ? 'feature-stale-on' : 'feature-stale-off',
    project: feature.project,
    featureName: feature.name,
    data: { stale },
    preData: { stale: feature.stale },
  });
}

/** The properties that were given. `undefined` in a request means "leave it". */
export function definedOnly<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, property]) => property !== undefined)) as never;
}

function metadata({ name, description, type, impressionData, project, stale }: Feature) {
  return { name, description, type, impressionData, project, stale };
}
