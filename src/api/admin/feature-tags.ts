import Type from 'typebox';
import { notFound } from '../../base/rejection.ts';
import { addTag, removeTag, updateTags } from '../../commands/feature-tag.ts';
import { created, done, ok, written } from '../../http/answer.ts';
import type { FeatureTag } from '../../model/feature.ts';
import { endpoint } from '../endpoint.ts';
import { TagSchema } from './feature-schemas.ts';

const PATH = '/api/admin/features/:featureName/tags';

const NameParams = Type.Object({ featureName: Type.String() });

const TagsSchema = Type.Object({ version: Type.Integer(), tags: Type.Array(TagSchema) }, { $id: 'tags' });

function tagsAnswer(tags: readonly FeatureTag[]) {
  return ok({ version: 1, tags });
}

function tagOf({ type, value }: FeatureTag): FeatureTag {
  return { type, value };
}

const listTags = endpoint({
  operationId: 'listTags',
  method: 'get',
  path: PATH,
  tag: 'Tags',
  access: { permission: 'READ', project: 'entity.features' },
  summary: 'The tags of a flag',
  params: NameParams,
  responses: { 200: { description: 'The tags', schema: TagsSchema } },
  errors: [404],
  handle({ params }, { state }) {
    const feature = state.get('features', params.featureName);
    return feature ? tagsAnswer(feature.tags) : notFound(`The feature ${params.featureName} does not exist.`);
  },
});

const addFeatureTag = endpoint({
  operationId: 'addTag',
  method: 'post',
  path: PATH,
  tag: 'Tags',
  access: { permission: 'UPDATE_FEATURE', project: 'entity.features' },
  summary: 'Puts a tag on a flag',
  params: NameParams,
  body: TagSchema,
  responses: {
    201: { description: 'The tag', schema: TagSchema, headers: { location: 'The tags of the flag' } },
  },
  errors: [400, 404, 409],
  async handle({ params: { featureName }, body, caller }, { writer }) {
    const outcome = await writer.submit(addTag, { featureName, tag: tagOf(body) }, caller.author);
    return written(outcome, (tag) => created(tag, `/api/admin/features/${featureName}/tags`));
  },
});

const updateFeatureTags = endpoint({
  operationId: 'updateTags',
  method: 'put',
  path: PATH,
  tag: 'Tags',
  access: { permission: 'UPDATE_FEATURE', project: 'entity.features' },
  summary: 'Adds tags to a flag and removes others',
  params: NameParams,
  body: Type.Object(
    {
      addedTags: Type.Array(TagSchema, { maxItems: 100 }),
      removedTags: Type.Array(TagSchema, { maxItems: 100 }),
    },
    { $id: 'updateTags' },
  ),
  responses: { 200: { description: 'The tags as they are now', schema: TagsSchema } },
  errors: [400, 404],
  async handle({ params: { featureName }, body, caller }, { writer }) {
    const input = { featureName, addedTags: body.addedTags.map(tagOf), removedTags: body.removedTags.map(tagOf) };
    return written(await writer.submit(updateTags, input, caller.author), tagsAnswer);
  },
});

const removeFeatureTag = endpoint({
  operationId: 'removeTag',
  method: 'delete',
  path: `${PATH}/:type/:value`,
  tag: 'Tags',
  access: { permission: 'UPDATE_FEATURE', project: 'entity.features' },
  summary: 'Takes a tag off a flag',
  params: Type.Object({ featureName: Type.String(), type: Type.String(), value: Type.String() }),
  responses: { 200: { description: 'It is gone' } },
  errors: [404],
  async handle({ params: { featureName, type, value }, caller }, { writer }) {
    const outcome = await writer.submit(removeTag, { featureName, tag: { type, value } }, caller.author);
    return written(outcome, () => done());
  },
});

export const featureTagEndpoints = [listTags, addFeatureTag, updateFeatureTags, removeFeatureTag];
