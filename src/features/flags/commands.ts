import Type, { type Static } from 'typebox';
import { permissionProblem } from '../../access/permission-problem.ts';
import { isoTime } from '../../base/clock.ts';
import { conflict, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, command, longCommand } from '../../engine/command.ts';
import { Feature, type FeatureLink, ManifestEntry, Tag } from '../../model/feature.ts';
import { DateTime, NameReference } from '../../model/primitives.ts';
import type { Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';
import { writtenFields } from '../shared/entity-fields.ts';
import { applyPatch, JsonPatch } from '../shared/json-patch.ts';
import { findFeature, findFeatures, findProject } from '../shared/lookup.ts';
import { suppliedFields } from '../shared/supplied-fields.ts';
import { archiveAll, FeatureBatch } from './archive/commands.ts';
import { namingProblem } from './naming.ts';
import { featureLimitProblem } from './project-flag-limit.ts';
import { TAGS_PER_CHANGE_MAX, validateTags } from './tags/flag-tag-commands.ts';

export const NewFeatureFields = {
  ...writtenFields(Feature, 'name', 'type?', 'description?', 'impressionData?'),
  tags: Type.Optional(Type.Array(Tag, { maxItems: TAGS_PER_CHANGE_MAX })),
  stale: Type.Optional(Type.Boolean({ description: 'Whether the flag is stale from the beginning' })),
  archived: Type.Optional(Type.Boolean({ description: 'Whether the flag is archived from the beginning' })),
  createdAt: Type.Optional({
    ...DateTime,
    description: 'Time of creation, for a flag that was created in another system. By default, the current time',
  }),
};

/** What code declares for a flag. Only the manifest of the OpenFeature CLI sets it. */
const DeclaredFields = { manifest: Type.Optional(ManifestEntry) };

/** Creates a flag that is off in every environment. Its name must be unique in all projects, archived flags included. */
export const createFeature = command({
  name: 'create-feature',
  input: Type.Object({ project: NameReference, ...NewFeatureFields, ...DeclaredFields }),
  decide({ draft, by, now, newId, emit }, input) {
    const project = findProject(draft, input.project);
    if (project instanceof Rejection) return project;
    const nameProblem = featureNameProblem(draft, input.name) ?? namingProblem(project, input.name);
    if (nameProblem) return nameProblem;
    const archived = input.archived ?? false;
    const limitProblem = featureLimitProblem(draft, project, archived ? 0 : 1);
    if (limitProblem) return limitProblem;
    const tags = validateTags(draft, input.tags ?? []);
    if (tags instanceof Rejection) return tags;
    const links = linksFromTemplates(project, input.name, newId);
    const feature: Feature = {
      name: input.name,
      project: project.id,
      type: input.type ?? 'release',
      description: input.description ?? null,
      stale: input.stale ?? false,
      archived,
      archivedAt: archived ? now : null,
      impressionData: input.impressionData ?? false,
      createdAt: input.createdAt === undefined ? now : isoTime(Date.parse(input.createdAt)),
      createdBy: by,
      tags,
      dependencies: [],
      environments: [],
      ...(links.length > 0 && { links }),
      ...(input.manifest && { manifest: storedManifest(input.manifest) }),
    };
    draft.put('features', feature);
    emit({ type: 'feature-created', project: project.id, featureName: feature.name, data: feature });
    for (const tag of tags) emit({ type: 'feature-tagged', project: project.id, featureName: feature.name, data: tag });
    return feature;
  },
});

/** Only what the schema states: a stored input may have more properties. */
function storedManifest({ type, defaultValue }: ManifestEntry): ManifestEntry {
  return { type, defaultValue };
}

/** Returns the links that a new flag gets from the templates of its project. */
function linksFromTemplates({ id, linkTemplates = [] }: Project, name: string, newId: () => string): FeatureLink[] {
  return linkTemplates.map(({ title, urlTemplate }) => {
    const url = urlTemplate
      .replaceAll('{{project}}', encodeURIComponent(id))
      .replaceAll('{{feature}}', encodeURIComponent(name));
    return { id: newId(), url, title };
  });
}

/** Returns a rejection if a flag with the name exists, archived flags included. Returns undefined if a new flag may have the name. */
export function featureNameProblem(reader: StateReader, name: string): Rejection | undefined {
  const existing = reader.get('features', name);
  if (!existing) return undefined;
  return conflict(`A feature with the name ${name} already exists${existing.archived ? '; it is archived' : ''}.`);
}

export const FeatureChanges = writtenFields(Feature, 'description?', 'type?', 'stale?', 'archived?', 'impressionData?');
const FeatureMetadata = Type.Object(FeatureChanges);
const DeclaredMetadata = Type.Object({ ...FeatureChanges, ...DeclaredFields });
type DeclaredMetadata = Static<typeof DeclaredMetadata>;

/** The properties whose change only replaces the value. A change of `stale` or `archived` also records events or archives the flag. */
const { stale: _stale, archived: _archived, ...PlainChanges } = FeatureChanges;

/** Changes only the specified properties. `archived: true` moves the flag to the archive. */
export const updateFeature = longCommand({
  name: 'update-feature',
  input: Type.Object({ project: NameReference, name: NameReference, ...DeclaredMetadata.properties }),
  *decide(context, { project, name, ...changes }) {
    const before = findFeature(context.draft, project, name);
    return before instanceof Rejection ? before : yield* changeMetadata(context, before, changes);
  },
});

/** Like `updateFeature`, but by a JSON Patch of the properties that can change. */
export const patchFeature = longCommand({
  name: 'patch-feature',
  input: Type.Object({ project: NameReference, name: NameReference, patch: JsonPatch }),
  *decide(context, { project, name, patch }) {
    const before = findFeature(context.draft, project, name);
    if (before instanceof Rejection) return before;
    const { description, type, stale, archived, impressionData } = before;
    const after = applyPatch(FeatureMetadata, { description, type, stale, archived, impressionData }, patch);
    if (after instanceof Rejection) return after;
    return yield* changeMetadata(context, before, { ...after, description: after.description ?? null });
  },
});

/** Changes the metadata. It works in steps, because archiving a flag reads all flags that depend on it. */
function* changeMetadata(
  context: CommandContext,
  before: Feature,
  changes: DeclaredMetadata,
): Steps<Feature | Rejection> {
  const { draft, emit } = context;
  const { project, name } = before;
  const { archived, stale, manifest, ...plain } = changes;
  const after: Feature = {
    ...before,
    ...suppliedFields(PlainChanges, plain),
    ...(manifest && { manifest: storedManifest(manifest) }),
  };
  draft.put('features', after);
  emit({
    type: 'feature-metadata-updated',
    project,
    featureName: name,
    data: metadataOf(after),
    preData: metadataOf(before),
  });
  if (stale !== undefined) setStale(context, after, stale);
  // `archived: false` changes nothing: `findFeature` returns only flags that are not archived.
  if (archived === true) {
    const refusal = permissionProblem(context, ['DELETE_FEATURE'], project);
    if (refusal) return refusal;
    const rejection = yield* archiveAll(context, project, [name]);
    if (rejection) return rejection;
  }
  return draft.get('features', name) ?? after;
}

/** Marks flags as stale, or as no longer stale. */
export const markStale = longCommand({
  name: 'mark-stale',
  input: Type.Object({ ...FeatureBatch.properties, stale: Type.Boolean() }),
  *decide(context, { project, names, stale }) {
    const features = yield* findFeatures(context.draft, project, names);
    if (features instanceof Rejection) return features;
    for (const feature of features) {
      setStale(context, feature, stale);
      yield;
    }
    return undefined;
  },
});

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

function metadataOf({ name, description, type, impressionData, project, stale, manifest }: Feature) {
  return { name, description, type, impressionData, project, stale, ...(manifest && { manifest }) };
}
