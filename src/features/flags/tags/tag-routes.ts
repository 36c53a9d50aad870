import Type from 'typebox';
import { type VisibleProjects, visibleProjects } from '../../../access/visibility.ts';
import { notFound } from '../../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../../base/yield-control.ts';
import { created, done, listAnswer, ok } from '../../../http/answer.ts';
import { createdResponses } from '../../../http/endpoint.ts';
import { Tag, tagText } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { presentTags } from '../present.ts';
import { BatchFeatures, TagSchema } from '../schemas.ts';
import { TAGS_PER_BATCH_MAX, updateTagsOfFeatures } from './flag-tag-commands.ts';
import { TagsSchema, tagOf } from './flag-tag-routes.ts';
import { createTag, deleteTag, tagExists } from './tag-commands.ts';

const route = routesOf('Tags');

const NO_TAGS: readonly Tag[] = [];

/** Returns every tag of these types once: the tags of flags that the caller may see, and the tags that were created without a flag. */
function* tagsOfTypes(state: StateReader, types: Iterable<string>, visible: VisibleProjects): Steps<Tag[]> {
  const tags = new Map<string, Tag>();
  for (const type of types) {
    for (const tag of state.lookup('tagsByType', type)) {
      tags.set(tagText(tag), tag);
      yield;
    }
    for (const feature of state.lookup('featuresByTagType', type)) {
      const visibleTags = visible.has(feature.project) ? feature.tags : NO_TAGS;
      for (const tag of visibleTags) if (tag.type === type) tags.set(tagText(tag), tag);
      yield;
    }
  }
  return [...tags.values()];
}

const listAllTags = route('GET /api/admin/tags', 'getTags', {
  access: { permission: 'READ' },
  summary: 'Every tag: the tags of flags, and the tags that were created without a flag',
  responses: { 200: { description: 'The tags', schema: TagsSchema } },
  async handle({ caller, asker }, { state }) {
    const types = Array.from(state.values('tagTypes'), ({ name }) => name);
    const tags = await inSlices(tagsOfTypes(state, types, visibleProjects(state, caller)), Slicer.of(asker));
    return listAnswer({ version: 1 }, 'tags', tags, (tag) => presentTags([tag], state)[0]);
  },
});

const listTagsOfType = route('GET /api/admin/tags/:type', 'getTagsByType', {
  access: { permission: 'READ' },
  summary: 'The tags of a type; empty if the type does not exist',
  responses: { 200: { description: 'The tags', schema: TagsSchema } },
  neverMissing: true,
  async handle({ params, caller, asker }, { state }) {
    const tags = await inSlices(tagsOfTypes(state, [params.type], visibleProjects(state, caller)), Slicer.of(asker));
    return listAnswer({ version: 1 }, 'tags', tags, (tag) => presentTags([tag], state)[0]);
  },
});

const VersionedTagSchema = Type.Object({ version: Type.Integer(), tag: TagSchema }, { $id: 'tagWithVersion' });

function presentVersioned(tag: Tag, state: StateReader) {
  return { version: 1, tag: presentTags([tag], state)[0] };
}

const getTag = route('GET /api/admin/tags/:type/:value', 'getTag', {
  access: { permission: 'READ' },
  summary: 'One tag',
  responses: {
    200: { description: 'The tag', schema: VersionedTagSchema },
  },
  async handle({ params, caller, asker }, { state }) {
    const tag = tagOf(params);
    if (!(await inSlices(isTagVisible(state, tag, visibleProjects(state, caller)), Slicer.of(asker))))
      return notFound(`The tag ${tagText(tag)} does not exist.`);
    return ok(presentVersioned(tag, state));
  },
});

/** Whether the tag was created without a flag, or a flag that the caller may see has it. */
function* isTagVisible(state: StateReader, tag: Tag, visible: VisibleProjects): Steps<boolean> {
  if (visible.isAll || state.get('tags', tagText(tag))) return tagExists(state, tag);
  for (const feature of state.lookup('featuresByTag', tagText(tag))) {
    if (visible.has(feature.project)) return true;
    yield;
  }
  return false;
}

const addTag = route('POST /api/admin/tags', 'createTag', {
  access: { permission: 'CREATE_TAG_TYPE' },
  summary: 'Creates a tag that no flag has yet',
  body: Tag,
  responses: createdResponses('The tag', VersionedTagSchema),
  errors: [409],
  handle: ({ body, caller }, services) =>
    change(services, caller, createTag, tagOf(body), (tag) => {
      const path = `/api/admin/tags/${encodeURIComponent(tag.type)}/${encodeURIComponent(tag.value)}`;
      return created(presentVersioned(tag, services.state), services.config.basePath + path);
    }),
});

const removeTag = route('DELETE /api/admin/tags/:type/:value', 'deleteTag', {
  access: { permission: 'DELETE_TAG_TYPE' },
  summary:
    'Deletes a tag, and removes it from every flag that has it; the caller must be allowed to change each of these flags',
  responses: { 200: { description: 'The tag was deleted' } },
  errors: [409],
  handle: ({ params, caller }, services) => change(services, caller, deleteTag, tagOf(params)),
});

const updateProjectTags = route('PUT /api/admin/projects/:projectId/tags', 'addTagToFeatures', {
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  summary: 'Adds tags to flags of a project and removes tags from them, all or none',
  body: Type.Object(
    {
      features: BatchFeatures,
      tags: Type.Object({
        addedTags: Type.Array(Tag, { maxItems: TAGS_PER_BATCH_MAX }),
        removedTags: Type.Array(Tag, { maxItems: TAGS_PER_BATCH_MAX }),
      }),
    },
    { $id: 'tagsBulkAdd' },
  ),
  handle({ params, body: { features, tags }, caller }, services) {
    const [addedTags, removedTags] = [tags.addedTags.map(tagOf), tags.removedTags.map(tagOf)];
    const input = { project: params.projectId, names: features, addedTags, removedTags };
    return change(services, caller, updateTagsOfFeatures, input, () => done());
  },
});

export const tagEndpoints = [listAllTags, listTagsOfType, getTag, addTag, removeTag, updateProjectTags];
