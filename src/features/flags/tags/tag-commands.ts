import { isHidden, permissionProblem } from '../../../access/permission-problem.ts';
import { conflict, invalid, notFound } from '../../../base/rejection.ts';
import { command, longCommand } from '../../../engine/command.ts';
import { Tag, tagText } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import { projectsOfEvent } from '../../shared/projects-of-event.ts';
import { type UndoRule, undoOfEdits } from '../../shared/undoing.ts';
import { changeTags, TagReference } from './flag-tag-commands.ts';

/** Creates a tag that no flag has yet. */
export const createTag = command({
  name: 'create-tag',
  input: Tag,
  decide({ draft, emit }, { type, value }) {
    if (!draft.get('tagTypes', type)) return invalid(`The tag type ${type} does not exist.`, '/type');
    const tag = { type, value };
    if (tagExists(draft, tag)) return conflict(`The tag ${tagText(tag)} exists already.`);
    draft.put('tags', tag);
    emit({ type: 'tag-created', data: tag });
    return tag;
  },
});

/** Maximum number of flags from which one request removes a tag: one commit stores all these flags, and one event for each flag. */
const FLAGS_OF_DELETED_TAG_MAX = 1_000;

/**
 * Deletes a tag, and removes it from every flag that has it. The caller must be allowed to change each of these flags. Does nothing if the tag does
 * not exist.
 */
export const deleteTag = longCommand({
  name: 'delete-tag',
  input: TagReference,
  *decide(context, { type, value }) {
    const { draft, emit } = context;
    const tag = { type, value };
    if (!tagExists(draft, tag)) return undefined;
    const count = draft.count('featuresByTag', tagText(tag));
    if (count > FLAGS_OF_DELETED_TAG_MAX) {
      return conflict(
        `${count} flags have the tag ${tagText(tag)}. A tag can be deleted if at most ${FLAGS_OF_DELETED_TAG_MAX} flags have it: ` +
          'remove it from some flags first.',
      );
    }
    const isStored = draft.get('tags', tagText(tag)) !== undefined;
    const features = [...draft.lookup('featuresByTag', tagText(tag))];
    // If only flags that the caller must not see have the tag, the answer is the same as for an unknown tag.
    if (!isStored && features.every(({ project }) => isHidden(context, project))) return undefined;
    const projects = new Set<string>();
    for (const feature of features) {
      if (isHidden(context, feature.project)) return notFound(`The tag ${tagText(tag)} does not exist.`);
      const problem = permissionProblem(context, ['UPDATE_FEATURE'], feature.project);
      if (problem) return problem;
      changeTags(context, feature, [], [tag]);
      projects.add(feature.project);
      yield;
    }
    if (isStored) draft.remove('tags', tagText(tag));
    const eventProjects = projectsOfEvent(draft, isStored ? undefined : projects);
    for (const project of eventProjects) emit({ type: 'tag-deleted', project, preData: tag });
    return undefined;
  },
});

/** Whether the tag was created without a flag, or a flag has it. */
export function tagExists(reader: StateReader, tag: Tag): boolean {
  return reader.get('tags', tagText(tag)) !== undefined || reader.count('featuresByTag', tagText(tag)) > 0;
}

/** A tag that flags have got since stays on these flags: an undo of its creation removes only the tag without flags. */
export const undoTag: UndoRule<Tag> = undoOfEdits({
  collection: 'tags',
  needs: { create: ['CREATE_TAG_TYPE'], update: ['CREATE_TAG_TYPE'], remove: ['DELETE_TAG_TYPE'] },
  events: { created: 'tag-created', updated: 'tag-created' },
  problem: ({ draft }, { type }) =>
    draft.get('tagTypes', type) ? undefined : conflict(`The tag type ${type} does not exist any more.`),
  remove({ draft, emit }, tag) {
    draft.remove('tags', tagText(tag));
    emit({ type: 'tag-deleted', preData: tag });
    return undefined;
  },
});
