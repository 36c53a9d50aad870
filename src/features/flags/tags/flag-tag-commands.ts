import Type from 'typebox';
import { type CallerInState, isHidden, permissionProblem } from '../../../access/permission-problem.ts';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command, longCommand } from '../../../engine/command.ts';
import { type Feature, Tag } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { findFeatures } from '../../shared/lookup.ts';

/** The type and value of a tag that may not exist: any texts. */
export const TagReference = Type.Object({ type: Type.String(), value: Type.String() });

/** Maximum number of tags that one request may add. The same number of tags may be removed. */
export const TAGS_PER_CHANGE_MAX = 100;

/** Returns the tags, sorted and without duplicates, or a rejection of the first tag whose type does not exist. */
export function validateTags(reader: StateReader, tags: readonly Tag[], path = '/tags'): Tag[] | Rejection {
  const validTags = new Map<string, Tag>();
  for (const [index, { type, value }] of tags.entries()) {
    if (!reader.get('tagTypes', type)) {
      return invalid(`The tag type ${type} does not exist.`, `${path}/${index}/type`);
    }
    validTags.set(keyOf({ type, value }), { type, value });
  }
  return sortedTags([...validTags.values()]);
}

/** Puts one tag on a flag that does not have it yet. */
export const addTag = command({
  name: 'add-tag',
  input: Type.Object({ featureName: NameReference, tag: Tag }),
  decide(context, { featureName, tag: { type, value } }) {
    const feature = findTaggable(context, featureName);
    if (feature instanceof Rejection) return feature;
    if (!context.draft.get('tagTypes', type)) return invalid(`The tag type ${type} does not exist.`, '/type');
    const tag = { type, value };
    if (keysOf(feature.tags).has(keyOf(tag)))
      return conflict(`The feature ${featureName} has the tag ${type}:${value} already.`);
    changeTags(context, feature, [tag], []);
    return tag;
  },
});

/** Adds tags to a flag and removes tags from it. Added tags that the flag has, and removed tags that it does not have, are ignored. */
export const updateTags = command({
  name: 'update-tags',
  input: Type.Object({
    featureName: NameReference,
    addedTags: Type.Array(Tag, { maxItems: TAGS_PER_CHANGE_MAX }),
    removedTags: Type.Array(Tag, { maxItems: TAGS_PER_CHANGE_MAX }),
  }),
  decide(context, input) {
    const feature = findTaggable(context, input.featureName);
    if (feature instanceof Rejection) return feature;
    const added = validateTags(context.draft, input.addedTags, '/addedTags');
    if (added instanceof Rejection) return added;
    return changeTags(context, feature, added, input.removedTags);
  },
});

/** Like `TAGS_PER_CHANGE_MAX`, for a request that changes up to a hundred flags. Every tag that a flag gets or loses is one event. */
export const TAGS_PER_BATCH_MAX = 10;

/** Like `updateTags`, for several flags of one project, all or none. */
export const updateTagsOfFeatures = longCommand({
  name: 'update-tags-of-features',
  input: Type.Object({
    project: NameReference,
    names: Type.Array(NameReference),
    addedTags: Type.Array(Tag, { maxItems: TAGS_PER_BATCH_MAX }),
    removedTags: Type.Array(Tag, { maxItems: TAGS_PER_BATCH_MAX }),
  }),
  *decide(context, { project, names, addedTags, removedTags }) {
    const features = yield* findFeatures(context.draft, project, names);
    if (features instanceof Rejection) return features;
    const added = validateTags(context.draft, addedTags, '/tags/addedTags');
    if (added instanceof Rejection) return added;
    for (const feature of features) {
      changeTags(context, feature, added, removedTags);
      yield;
    }
    return undefined;
  },
});

/** Removes a tag from a flag. Does nothing if the flag does not have the tag. */
export const removeTag = command({
  name: 'remove-tag',
  input: Type.Object({ featureName: NameReference, tag: TagReference }),
  decide(context, { featureName, tag }) {
    const feature = findTaggable(context, featureName);
    if (feature instanceof Rejection) return feature;
    changeTags(context, feature, [], [tag]);
    return undefined;
  },
});

/** Returns the flag if the caller may change it, otherwise a rejection. */
function findTaggable(context: CommandContext, name: string): Feature | Rejection {
  const feature = findFeatureAnywhere(context, name);
  if (feature instanceof Rejection) return feature;
  return permissionProblem(context, ['UPDATE_FEATURE'], feature.project) ?? feature;
}

/**
 * Finds the flag in any project: requests about tags name only the flag and not its project, as in Unleash. Archived flags, and flags in projects
 * that the caller must not see, count as missing.
 */
function findFeatureAnywhere(context: CallerInState, name: string): Feature | Rejection {
  const feature = context.draft.get('features', name);
  const isVisible = feature && !feature.archived && !isHidden(context, feature.project);
  return isVisible ? feature : notFound(`The feature ${name} does not exist.`);
}

/** Removes tags from the flag, then adds tags to it. Returns the tags of the flag after the change. */
export function changeTags(
  { draft, emit }: CommandContext,
  feature: Feature,
  added: readonly Tag[],
  removed: readonly Tag[],
): readonly Tag[] {
  const location = { project: feature.project, featureName: feature.name };
  const removedKeys = keysOf(removed);
  const oldTags = feature.tags.filter((tag) => removedKeys.has(keyOf(tag)));
  const commonTags = feature.tags.filter((tag) => !removedKeys.has(keyOf(tag)));
  const commonKeys = keysOf(commonTags);
  const newTags = added.filter((tag) => !commonKeys.has(keyOf(tag)));
  const tags = sortedTags([...commonTags, ...newTags]);
  if (oldTags.length + newTags.length === 0) return tags;
  draft.put('features', { ...feature, tags });
  for (const tag of oldTags) emit({ ...location, type: 'feature-untagged', preData: tag });
  for (const tag of newTags) emit({ ...location, type: 'feature-tagged', data: tag });
  return tags;
}

function keysOf(tags: readonly Tag[]): ReadonlySet<string> {
  return new Set(tags.map(keyOf));
}

/**
 * Returns a key that is different for different tags. Without the length, the type `a:b` with the value `c` and the type `a` with the value `b:c`
 * would have the same key.
 */
function keyOf({ type, value }: Tag): string {
  return `${type.length}:${type}:${value}`;
}

function sortedTags(tags: readonly Tag[]): Tag[] {
  return [...tags].sort((a, b) => order(a.type, b.type) || order(a.value, b.value));
}

function order(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
