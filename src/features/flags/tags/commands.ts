import Type from 'typebox';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command, longCommand } from '../../../engine/command.ts';
import { type Feature, Tag } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { type Asked, isHidden, permissionProblem } from '../../people/permission-problem.ts';
import { findFeatures } from '../../shared/lookup.ts';

/** The name of a tag that may not exist: any texts. */
export const TagReference = Type.Object({ type: Type.String(), value: Type.String() });

/** Maximum number of tags that one request may add, and maximum number of tags that it may remove. */
export const TAGS_A_CHANGE_MAX = 100;

/** Returns the sorted tags, each once, or a rejection of the first tag whose type does not exist. */
export function validateTags(reader: StateReader, tags: readonly Tag[], path = '/tags'): Tag[] | Rejection {
  const valid = new Map<string, Tag>();
  for (const [index, { type, value }] of tags.entries()) {
    if (!reader.get('tagTypes', type)) {
      return invalid(`The tag type ${type} does not exist.`, `${path}/${index}/type`);
    }
    valid.set(keyOf({ type, value }), { type, value });
  }
  return sorted([...valid.values()]);
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

/** Adds and removes tags. Tags that the flag already has are not added again; tags that it does not have are not removed. */
export const updateTags = command({
  name: 'update-tags',
  input: Type.Object({
    featureName: NameReference,
    addedTags: Type.Array(Tag, { maxItems: TAGS_A_CHANGE_MAX }),
    removedTags: Type.Array(Tag, { maxItems: TAGS_A_CHANGE_MAX }),
  }),
  decide(context, input) {
    const feature = findTaggable(context, input.featureName);
    if (feature instanceof Rejection) return feature;
    const added = validateTags(context.draft, input.addedTags, '/addedTags');
    if (added instanceof Rejection) return added;
    return changeTags(context, feature, added, input.removedTags);
  },
});

/** Like `TAGS_A_CHANGE_MAX`, for a request that changes up to a hundred flags: each change of a tag of a flag is an event. */
export const TAGS_A_BATCH_MAX = 10;

/** Like `updateTags`, for several flags of one project, all or none. */
export const updateTagsOfFeatures = longCommand({
  name: 'update-tags-of-features',
  input: Type.Object({
    project: NameReference,
    names: Type.Array(NameReference),
    addedTags: Type.Array(Tag, { maxItems: TAGS_A_BATCH_MAX }),
    removedTags: Type.Array(Tag, { maxItems: TAGS_A_BATCH_MAX }),
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

/** Removes a tag from a flag. Does nothing when the flag does not have it. */
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

/** The flag, if the caller may change it. */
function findTaggable(context: CommandContext, name: string): Feature | Rejection {
  const feature = findFeatureAnywhere(context, name);
  if (feature instanceof Rejection) return feature;
  return permissionProblem(context, ['UPDATE_FEATURE'], feature.project) ?? feature;
}

/**
 * Finds the flag in any project: requests about tags name only the flag and not its project, as in Unleash. Archived flags, and flags in projects
 * that the caller must not see, count as missing.
 */
function findFeatureAnywhere(asked: Asked, name: string): Feature | Rejection {
  const feature = asked.draft.get('features', name);
  const isThere = feature && !feature.archived && !isHidden(asked, feature.project);
  return isThere ? feature : notFound(`The feature ${name} does not exist.`);
}

export function changeTags(
  { draft, emit }: CommandContext,
  feature: Feature,
  added: readonly Tag[],
  removed: readonly Tag[],
): readonly Tag[] {
  const at = { project: feature.project, featureName: feature.name };
  const leaving = keysOf(removed);
  const gone = feature.tags.filter((tag) => leaving.has(keyOf(tag)));
  const kept = feature.tags.filter((tag) => !leaving.has(keyOf(tag)));
  const staying = keysOf(kept);
  const fresh = added.filter((tag) => !staying.has(keyOf(tag)));
  const tags = sorted([...kept, ...fresh]);
  if (gone.length + fresh.length === 0) return tags;
  draft.put('features', { ...feature, tags });
  for (const tag of gone) emit({ ...at, type: 'feature-untagged', preData: tag });
  for (const tag of fresh) emit({ ...at, type: 'feature-tagged', data: tag });
  return tags;
}

function keysOf(tags: readonly Tag[]): ReadonlySet<string> {
  return new Set(tags.map(keyOf));
}

/**
 * The key of a tag; different tags have different keys. Without the length, the type `a:b` with the value `c` and the type `a` with the value `b:c`
 * would have the same key.
 */
function keyOf({ type, value }: Tag): string {
  return `${type.length}:${type}:${value}`;
}

function sorted(tags: readonly Tag[]): Tag[] {
  return [...tags].sort((a, b) => order(a.type, b.type) || order(a.value, b.value));
}

function order(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
