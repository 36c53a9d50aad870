import Type, { type Static } from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { created, done, listAnswer, ok } from '../../../http/answer.ts';
import { Nullable, Text, UrlSafeName } from '../../../model/primitives.ts';
import type { StrategyType } from '../../../model/strategy-type.ts';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import {
  createStrategyType,
  deleteStrategyType,
  deprecateStrategyType,
  findStrategyType,
  StrategyTypeParameterName,
  StrategyTypeParameterType,
  StrategyTypeTitle,
  updateStrategyType,
} from './type-commands.ts';

const PATH = '/api/admin/strategies';

const NameParams = Type.Object({ name: Type.String() });

const ParameterSchema = Type.Object({
  name: Type.String(),
  type: Type.String(),
  description: Type.String(),
  required: Type.Boolean(),
});

/** A strategy type as the admin API answers it. */
const StrategyTypeSchema = Type.Object(
  {
    name: Type.String(),
    title: Nullable(Type.String()),
    displayName: Nullable(Type.String({ description: 'The title, under its older name' })),
    description: Nullable(Type.String()),
    editable: Type.Boolean({ description: 'false: built in' }),
    deprecated: Type.Boolean(),
    parameters: Type.Array(ParameterSchema),
  },
  { $id: 'strategyType' },
);

const ParametersInput = Type.Array(
  Type.Object({
    name: StrategyTypeParameterName,
    type: Type.Optional(StrategyTypeParameterType),
    description: Type.Optional(Nullable(Text)),
    required: Type.Optional(Type.Boolean()),
  }),
  { maxItems: 100 },
);

const StrategyTypeFacts = {
  title: Type.Optional(StrategyTypeTitle),
  description: Type.Optional(Nullable(Text)),
  parameters: ParametersInput,
};

const CreateStrategyTypeBody = Type.Object({ name: UrlSafeName, ...StrategyTypeFacts }, { $id: 'createStrategyType' });
const UpdateStrategyTypeBody = Type.Object(StrategyTypeFacts, { $id: 'updateStrategyType' });

function inputOf(name: string, { title, description, parameters }: Static<typeof UpdateStrategyTypeBody>) {
  return {
    name,
    title: title ?? null,
    description: description ?? null,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      type: parameter.type ?? ('string' as const),
      description: parameter.description ?? '',
      required: parameter.required ?? false,
    })),
  };
}

/** A strategy type, wherever it is shown. */
export function presentStrategyType({ name, title, description, editable, deprecated, parameters }: StrategyType) {
  return { name, title, displayName: title, description, editable, deprecated, parameters };
}

const listStrategyTypes = endpoint({
  operationId: 'getAllStrategies',
  method: 'get',
  path: PATH,
  tag: 'Strategy types',
  access: { permission: 'READ' },
  summary: 'The kinds of strategy there are, built-in and custom ones',
  responses: {
    200: {
      description: 'The strategy types',
      schema: Type.Object({ version: Type.Integer(), strategies: Type.Array(StrategyTypeSchema) }),
    },
  },
  errors: [],
  handle: (_request, { state }) =>
    listAnswer({ version: 1 }, 'strategies', [...state.values('strategyTypes')], presentStrategyType),
});

const getStrategyType = endpoint({
  operationId: 'getStrategy',
  method: 'get',
  path: `${PATH}/:name`,
  tag: 'Strategy types',
  access: { permission: 'READ' },
  summary: 'One kind of strategy',
  params: NameParams,
  responses: { 200: { description: 'The strategy type', schema: StrategyTypeSchema } },
  errors: [404],
  handle({ params }, { state }) {
    const type = findStrategyType(state, params.name);
    return type instanceof Rejection ? type : ok(presentStrategyType(type));
  },
});

const createType = endpoint({
  operationId: 'createStrategy',
  method: 'post',
  path: PATH,
  tag: 'Strategy types',
  access: { permission: 'CREATE_STRATEGY' },
  summary: 'Makes a custom strategy known',
  body: CreateStrategyTypeBody,
  responses: {
    201: {
      description: 'The strategy type',
      schema: StrategyTypeSchema,
      headers: { location: 'Where it can be read' },
    },
  },
  errors: [400, 409],
  handle({ body, caller }, services) {
    return change(services, caller, createStrategyType, inputOf(body.name, body), (type) =>
      created(presentStrategyType(type), `${services.config.basePath}${PATH}/${type.name}`),
    );
  },
});

const updateType = endpoint({
  operationId: 'updateStrategy',
  method: 'put',
  path: `${PATH}/:name`,
  tag: 'Strategy types',
  access: { permission: 'UPDATE_STRATEGY' },
  summary: 'Replaces what is said about a custom strategy',
  params: NameParams,
  body: UpdateStrategyTypeBody,
  responses: { 200: { description: 'It is replaced' } },
  errors: [400, 404],
  handle({ params, body, caller }, services) {
    return change(services, caller, updateStrategyType, inputOf(params.name, body), () => done());
  },
});

const deleteType = endpoint({
  operationId: 'removeStrategy',
  method: 'delete',
  path: `${PATH}/:name`,
  tag: 'Strategy types',
  access: { permission: 'DELETE_STRATEGY' },
  summary: 'Deletes a custom strategy that no flag uses',
  params: NameParams,
  responses: { 200: { description: 'It is gone' } },
  errors: [400, 404, 409],
  handle({ params, caller }, services) {
    return change(services, caller, deleteStrategyType, { name: params.name });
  },
});

const deprecationRoute = (action: 'deprecate' | 'reactivate', summary: string) =>
  endpoint({
    operationId: `${action}Strategy`,
    method: 'post',
    path: `${PATH}/:name/${action}`,
    tag: 'Strategy types',
    access: { permission: 'UPDATE_STRATEGY' },
    summary,
    params: NameParams,
    responses: { 200: { description: 'Done' } },
    errors: [400, 404],
    handle({ params, caller }, services) {
      const input = { name: params.name, deprecated: action === 'deprecate' };
      return change(services, caller, deprecateStrategyType, input);
    },
  });

export const strategyTypeEndpoints = [
  listStrategyTypes,
  createType,
  getStrategyType,
  updateType,
  deleteType,
  deprecationRoute('deprecate', 'Advises against a kind of strategy; it works as before'),
  deprecationRoute('reactivate', 'Takes the advice against a kind of strategy back'),
];
