import Type, { type Static } from 'typebox';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { isSameJson } from '../../../base/same-json.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { created, listAnswer, ok } from '../../../http/answer.ts';
import { createdResponses } from '../../../http/endpoint.ts';
import { MODEL_LIMITS } from '../../../model/limits.ts';
import { NameReference, Nullable } from '../../../model/primitives.ts';
import { StrategyType, type StrategyTypeParameter } from '../../../model/strategy-type.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { answeredFields, inputSchema, statedFields, writtenFields } from '../../shared/entity-fields.ts';
import { presentStrategyType } from '../../shared/present-strategy-type.ts';
import { removalBy, type UndoRule, undoOfEdits } from '../../shared/undoing.ts';
import { defaultStrategyUseProblem } from './default-strategies.ts';

/** A strategy type as clients create it. The SDKs that implement a custom strategy type decide what it does. */
const StrategyTypeFields = writtenFields(StrategyType, 'name', 'title?', 'description?', 'parameters');
const Changes = writtenFields(StrategyType, 'title?', 'description?', 'parameters?');

/** The fields that need not be sent. */
const UNSENT = { title: null, description: null };

export const createStrategyType = command({
  name: 'create-strategy-type',
  input: Type.Object(StrategyTypeFields),
  decide({ draft, emit }, input): StrategyType | Rejection {
    if (draft.get('strategyTypes', input.name)) return conflict(`The strategy type ${input.name} exists already.`);
    const problem = parametersProblem(input.parameters);
    if (problem) return problem;
    const fields = { ...UNSENT, ...statedFields(StrategyTypeFields, input), editable: true, deprecated: false };
    const strategyType = statedFields(StrategyType.properties, fields) as StrategyType;
    draft.put('strategyTypes', strategyType);
    emit({ type: 'strategy-created', data: strategyType });
    return strategyType;
  },
});

/** Changes the fields that the input has. */
const updateStrategyType = command({
  name: 'update-strategy-type',
  input: Type.Object({ name: NameReference, ...Changes }),
  decide({ draft, emit }, { name, ...input }): StrategyType | Rejection {
    const before = findStrategyType(draft, name);
    if (before instanceof Rejection) return before;
    const problem = builtInProblem(before) ?? parametersProblem(input.parameters ?? []);
    if (problem) return problem;
    const after: StrategyType = { ...before, ...statedFields(Changes, input) };
    draft.put('strategyTypes', after);
    emit({ type: 'strategy-updated', data: after, preData: before });
    return after;
  },
});

const deleteStrategyType = command({
  name: 'delete-strategy-type',
  input: Type.Object({ name: NameReference }),
  decide(context, { name }) {
    const before = findStrategyType(context.draft, name);
    if (before instanceof Rejection) return before;
    const problem = builtInProblem(before) ?? useProblem(context, before);
    if (problem) return problem;
    context.draft.remove('strategyTypes', name);
    context.emit({ type: 'strategy-deleted', preData: before });
    return undefined;
  },
});

/** Marks a strategy type as deprecated, or removes the mark. Strategies of the type work as before. */
const deprecateStrategyType = command({
  name: 'deprecate-strategy-type',
  input: Type.Object({ name: NameReference, deprecated: Type.Boolean() }),
  decide({ draft, emit }, { name, deprecated }) {
    const before = findStrategyType(draft, name);
    if (before instanceof Rejection) return before;
    if (name === 'default') return invalid('The strategy type default cannot be deprecated.');
    if (before.deprecated === deprecated) return undefined;
    const after: StrategyType = { ...before, deprecated };
    draft.put('strategyTypes', after);
    emit({ type: deprecated ? 'strategy-deprecated' : 'strategy-reactivated', data: after, preData: before });
    return undefined;
  },
});

export const undoStrategyType: UndoRule<StrategyType> = undoOfEdits({
  collection: 'strategyTypes',
  shape: StrategyType,
  needs: { create: ['CREATE_STRATEGY'], update: ['UPDATE_STRATEGY'], remove: ['DELETE_STRATEGY'] },
  events: { created: 'strategy-created', updated: 'strategy-updated' },
  problem(_context, after, before) {
    // Built-in types can be deprecated.
    const { deprecated, ...fields } = after;
    const isWritten = before && !isSameJson({ ...fields, deprecated: before.deprecated }, before);
    return (isWritten ? builtInProblem(before) : undefined) ?? parametersProblem(after.parameters);
  },
  remove: removalBy(deleteStrategyType, ({ name }) => ({ name })),
});

function findStrategyType(reader: StateReader, name: string): StrategyType | Rejection {
  return reader.get('strategyTypes', name) ?? notFound(`The strategy type ${name} does not exist.`);
}

function builtInProblem({ name, editable }: StrategyType): Rejection | undefined {
  return editable ? undefined : invalid(`The strategy type ${name} is built in and cannot be changed.`);
}

/** A strategy type is in use while it is the type of a default strategy, or of a strategy of any flag, archived flags included. */
function useProblem({ draft }: CommandContext, { name }: StrategyType): Rejection | undefined {
  for (const feature of draft.lookup('featuresByCustomStrategy', name)) {
    return conflict(`The strategy type ${name} is in use, among others by the feature ${feature.name}.`);
  }
  return defaultStrategyUseProblem(draft, 'defaultStrategiesByType', name, `The strategy type ${name}`);
}

export function parametersProblem(parameters: readonly StrategyTypeParameter[]): Rejection | undefined {
  const names = new Set<string>();
  for (const [index, { name }] of parameters.entries()) {
    if (names.has(name)) return invalid(`Two parameters are called ${name}.`, `/parameters/${index}/name`);
    names.add(name);
  }
  return undefined;
}

const route = routesOf('Strategy types');
const PATH = '/api/admin/strategies';

const { parameters: Parameters } = StrategyType.properties;
const { name, type, description, required } = Parameters.items.properties;

/** Parameters as clients send them: only the name is required. */
const InputParameters = Type.Array(
  Type.Object({
    name,
    type: Type.Optional(type),
    description: Type.Optional(Nullable(description)),
    required: Type.Optional(required),
  }),
  { maxItems: MODEL_LIMITS.strategyParameters.max },
);

const parametersOf = (parameters: Static<typeof InputParameters>): StrategyTypeParameter[] =>
  parameters.map(({ name, type = 'string', description, required = false }) => ({
    name,
    type,
    description: description ?? '',
    required,
  }));

const Answered = answeredFields(StrategyType, 'name', 'title', 'description', 'parameters');
const { editable, deprecated } = StrategyType.properties;

const Shown = Type.Object(
  {
    name: Answered.name,
    title: Answered.title,
    displayName: Nullable(Type.String({ description: 'Older name of the field `title`; the value is the same' })),
    description: Answered.description,
    editable: inputSchema(editable),
    deprecated: inputSchema(deprecated),
    parameters: Answered.parameters,
  },
  { $id: 'strategyType' },
);

const listStrategyTypes = route(`GET ${PATH}`, 'getAllStrategies', {
  access: { permission: 'READ' },
  summary: 'Every strategy type, built-in and custom',
  responses: {
    200: {
      description: 'The strategy types',
      schema: Type.Object({ version: Type.Integer(), strategies: Type.Array(Shown) }),
    },
  },
  handle: (_request, { state }) =>
    listAnswer({ version: 1 }, 'strategies', [...state.values('strategyTypes')], presentStrategyType),
});

const getStrategyType = route(`GET ${PATH}/:name`, 'getStrategy', {
  access: { permission: 'READ' },
  edits: 'strategyType',
  summary: 'One strategy type',
  responses: { 200: { description: 'The strategy type', schema: Shown } },
  handle({ params }, { state }) {
    const found = findStrategyType(state, params.name);
    return found instanceof Rejection ? found : ok(presentStrategyType(found));
  },
});

const addStrategyType = route(`POST ${PATH}`, 'createStrategy', {
  access: { permission: 'CREATE_STRATEGY' },
  summary: 'Creates a custom strategy type',
  body: Type.Object({ ...StrategyTypeFields, parameters: InputParameters }, { $id: 'createStrategyType' }),
  responses: createdResponses('The strategy type', Shown, 'Path at which it can be read'),
  errors: [409],
  handle({ body, caller }, services) {
    const input = { ...body, parameters: parametersOf(body.parameters) };
    return change(services, caller, createStrategyType, input, (made) =>
      created(presentStrategyType(made), `${services.config.basePath}${PATH}/${made.name}`),
    );
  },
});

const changeStrategyType = route(`PUT ${PATH}/:name`, 'updateStrategy', {
  access: { permission: 'UPDATE_STRATEGY' },
  edits: 'strategyType',
  summary: 'Replaces a custom strategy type',
  body: Type.Object({ ...Changes, parameters: InputParameters }, { $id: 'updateStrategyType' }),
  responses: { 200: { description: 'The strategy type was replaced' } },
  handle({ params, body, caller }, services) {
    const input = { ...UNSENT, ...body, name: params.name, parameters: parametersOf(body.parameters) };
    return change(services, caller, updateStrategyType, input);
  },
});

const removeStrategyType = route(`DELETE ${PATH}/:name`, 'removeStrategy', {
  access: { permission: 'DELETE_STRATEGY' },
  edits: 'strategyType',
  summary: 'Deletes a custom strategy type that no flag uses',
  responses: { 200: { description: 'The strategy type was deleted' } },
  errors: [409],
  handle: ({ params, caller }, services) => change(services, caller, deleteStrategyType, { name: params.name }),
});

const deprecationRoute = (action: 'deprecate' | 'reactivate', summary: string) =>
  route(`POST ${PATH}/:name/${action}`, `${action}Strategy`, {
    access: { permission: 'UPDATE_STRATEGY' },
    edits: 'strategyType',
    summary,
    handle: ({ params, caller }, services) =>
      change(services, caller, deprecateStrategyType, { name: params.name, deprecated: action === 'deprecate' }),
  });

export const strategyTypeEndpoints = [
  listStrategyTypes,
  getStrategyType,
  addStrategyType,
  changeStrategyType,
  removeStrategyType,
  deprecationRoute('deprecate', 'Marks a strategy type as deprecated; strategies of this type work as before'),
  deprecationRoute('reactivate', 'Marks a strategy type as no longer deprecated'),
];
