import Type from 'typebox';
import { visibleProjects } from '../../../access/visibility.ts';
import { notFound } from '../../../base/rejection.ts';
import { created, done, ok } from '../../../http/answer.ts';
import { Tag } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { presentTags } from '../present.ts';
import { TagSchema } from '../schemas.ts';
import { addTag, removeTag, TAGS_PER_CHANGE_MAX, updateTags } from './flag-tag-commands.ts';

const route = routesOf('Tags');

const PATH = '/api/admin/features/:featureName/tags';

export const TagsSchema = Type.Object({ version: Type.Integer(), tags: Type.Array(TagSchema) }, { $id: 'tags' });

function tagsAnswer(tags: readonly Tag[], state: StateReader) {
  return ok({ version: 1, tags: presentTags(tags, state) });
}

/** Returns the tag without further properties of the input. */
export function tagOf({ type, value }: Tag): Tag {
  return { type, value };
}

const listTags = route(`GET ${PATH}`, 'listTags', {
  access: { permission: 'READ', project: 'entity.features' },
  summary: 'The tags of a flag',
  responses: { 200: { description: 'The tags', schema: TagsSchema } },
  handle({ params, caller }, { state }) {
    const feature = state.get('features', params.featureName);
    const isVisible = feature && visibleProjects(state, caller).has(feature.project);
    return isVisible ? tagsAnswer(feature.tags, state) : notFound(`The feature ${params.featureName} does not exist.`);
  },
});

const addFeatureTag = route(`POST ${PATH}`, 'addTag', {
  access: { permission: 'UPDATE_FEATURE', project: 'entity.features' },
  edits: 'feature',
  summary: 'Puts a tag on a flag',
  body: Tag,
  responses: {
    201: { description: 'The tag', schema: TagSchema, headers: { location: 'Path of the tags of the flag' } },
  },
  errors: [409],
  handle: ({ params: { featureName }, body, caller }, services) =>
    change(services, caller, addTag, { featureName, tag: tagOf(body) }, (tag) =>
      created(
        presentTags([tag], services.state)[0],
        `${services.config.basePath}/api/admin/features/${encodeURIComponent(featureName)}/tags`,
      ),
    ),
});

const updateFeatureTags = route(`PUT ${PATH}`, 'updateTags', {
  access: { permission: 'UPDATE_FEATURE', project: 'entity.features' },
  edits: 'feature',
  summary: 'Adds tags to a flag and removes tags from it',
  body: Type.Object(
    {
      addedTags: Type.Array(Tag, { maxItems: TAGS_PER_CHANGE_MAX }),
      removedTags: Type.Array(Tag, { maxItems: TAGS_PER_CHANGE_MAX }),
    },
    { $id: 'updateTags' },
  ),
  responses: { 200: { description: 'The tags as they are now', schema: TagsSchema } },
  handle({ params: { featureName }, body, caller }, services) {
    const input = { featureName, addedTags: body.addedTags.map(tagOf), removedTags: body.removedTags.map(tagOf) };
    return change(services, caller, updateTags, input, (tags) => tagsAnswer(tags, services.state));
  },
});

const removeFeatureTag = route(`DELETE ${PATH}/:type/:value`, 'removeTag', {
  access: { permission: 'UPDATE_FEATURE', project: 'entity.features' },
  edits: 'feature',
  summary: 'Removes a tag from a flag',
  responses: { 200: { description: 'The tag was removed' } },
  handle: ({ params: { featureName, type, value }, caller }, services) =>
    change(services, caller, removeTag, { featureName, tag: { type, value } }, () => done()),
});

export const featureTagEndpoints = [listTags, addFeatureTag, updateFeatureTags, removeFeatureTag];
