import Type from 'typebox';
import { ok } from '../../../http/answer.ts';
import { FEATURE_TYPES, FeatureType } from '../../../model/feature.ts';
import { Nullable } from '../../../model/primitives.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { LifetimeField, lifetimeDaysOf, setFeatureTypeLifetime } from './commands.ts';
import { FEATURE_TYPE_DETAILS } from './feature-type.ts';

const route = routesOf('Feature types');

const FeatureTypeSchema = Type.Object(
  {
    id: FeatureType,
    name: Type.String(),
    description: Type.String(),
    lifetimeDays: Nullable(
      Type.Integer({
        minimum: 0,
        description: 'Days after which flags of the type are potentially stale; null: never',
      }),
    ),
  },
  { $id: 'featureType' },
);

function presentType(id: FeatureType, lifetimeDays: number | null) {
  const { name, description } = FEATURE_TYPE_DETAILS[id];
  return { id, name, description, lifetimeDays };
}

const listTypes = route('GET /api/admin/feature-types', 'getAllFeatureTypes', {
  access: { permission: 'READ' },
  summary: 'Every flag type, with the expected lifetime of its flags',
  responses: {
    200: {
      description: 'The types',
      schema: Type.Object({ version: Type.Integer(), types: Type.Array(FeatureTypeSchema) }, { $id: 'featureTypes' }),
    },
  },
  handle: (_request, { state }) =>
    ok({ version: 1, types: FEATURE_TYPES.map((id) => presentType(id, lifetimeDaysOf(state, id))) }),
});

const setLifetime = route('PUT /api/admin/feature-types/:id/lifetime', 'updateFeatureTypeLifetime', {
  access: { permission: 'ADMIN' },
  summary: 'Sets how long flags of a type are expected to be needed',
  body: Type.Object(LifetimeField, { $id: 'updateFeatureTypeLifetime' }),
  responses: { 200: { description: 'The type as it is now', schema: FeatureTypeSchema } },
  handle: ({ params: { id }, body: { lifetimeDays }, caller }, services) =>
    change(services, caller, setFeatureTypeLifetime, { id, lifetimeDays }, (type) =>
      ok(presentType(type.id, type.lifetimeDays)),
    ),
});

export const featureTypeEndpoints = [listTypes, setLifetime];
