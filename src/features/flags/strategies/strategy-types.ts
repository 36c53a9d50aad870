import Type, { type Static } from 'typebox';
import { conflict, invalid, Rejection } from '../../../base/rejection.ts';
import { command } from '../../../engine/command.ts';
import { MODEL_LIMITS } from '../../../model/limits.ts';
import { NameReference, Nullable } from '../../../model/primitives.ts';
import { StrategyType, type StrategyTypeParameter } from '../../../model/strategy-type.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { presentStrategyType } from '../../shared/present-strategy-type.ts';
import { resource } from '../../shared/resource.ts';
import type { UndoRule } from '../../shared/undoing.ts';
import { defaultStrategyUseProblem } from './default-strategies.ts';

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

const parametersInput = {
  body: { parameters: InputParameters },
  toInput: ({ parameters, ...body }: { readonly parameters: Static<typeof InputParameters> }) => ({
    ...body,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      type: parameter.type ?? 'string',
      description: parameter.description ?? '',
      required: parameter.required ?? false,
    })),
  }),
};

/** Strategy types. The SDKs that implement a custom strategy type decide what it does. */
export const strategyTypes = resource({
  collection: 'strategyTypes',
  noun: 'strategy type',
  event: 'strategy',
  tag: 'Strategy types',
  path: '/api/admin/strategies',
  edits: 'strategyType',
  key: 'name',
  entity: StrategyType,
  defaults: { title: null, description: null },
  setByService: { editable: () => true, deprecated: () => false },
  answer: ({ name, title, parameters, ...fields }) => ({
    ...{
      name,
      title,
      displayName: Nullable(Type.String({ description: 'Older name of the field `title`; the value is the same' })),
    },
    ...{ ...fields, parameters },
  }),
  present: presentStrategyType,
  takenText: (name) => `The strategy type ${name} exists already.`,
  check: ({ parameters }) => parametersProblem(parameters ?? []),
  protect({ name, editable }) {
    return editable ? undefined : invalid(`The strategy type ${name} is built in and cannot be changed.`);
  },
  /** A strategy type is in use while it is the type of a default strategy, or of a strategy of any flag, archived flags included. */
  beforeRemove({ draft }, { name }) {
    for (const feature of draft.lookup('featuresByCustomStrategy', name)) {
      return conflict(`The strategy type ${name} is in use, among others by the feature ${feature.name}.`);
    }
    return defaultStrategyUseProblem(draft, 'defaultStrategiesByType', name, `The strategy type ${name}`);
  },
  operations: {
    list: {
      ...{ permission: 'READ', operationId: 'getAllStrategies', as: 'strategies', version: true },
      summary: 'Every strategy type, built-in and custom',
    },
    get: { permission: 'READ', operationId: 'getStrategy', summary: 'One strategy type' },
    create: {
      ...{ permission: 'CREATE_STRATEGY', operationId: 'createStrategy', summary: 'Creates a custom strategy type' },
      ...parametersInput,
    },
    update: {
      ...{ permission: 'UPDATE_STRATEGY', operationId: 'updateStrategy', replaces: true },
      ...{ summary: 'Replaces a custom strategy type', description: 'The strategy type was replaced' },
      ...parametersInput,
    },
    remove: {
      ...{ permission: 'DELETE_STRATEGY', operationId: 'removeStrategy', errors: [409] },
      summary: 'Deletes a custom strategy type that no flag uses',
    },
  },
});

export const { create: createStrategyType, update: updateStrategyType, remove: deleteStrategyType } = strategyTypes;

/** Marks a strategy type as deprecated, or removes the mark. Strategies of the type work as before. */
const deprecateStrategyType = command({
  name: 'deprecate-strategy-type',
  input: Type.Object({ name: NameReference, deprecated: Type.Boolean() }),
  decide({ draft, emit }, { name, deprecated }) {
    const before = strategyTypes.find(draft, name);
    if (before instanceof Rejection) return before;
    if (name === 'default') return invalid('The strategy type default cannot be deprecated.');
    if (before.deprecated === deprecated) return undefined;
    const after: StrategyType = { ...before, deprecated };
    draft.put('strategyTypes', after);
    emit({ type: deprecated ? 'strategy-deprecated' : 'strategy-reactivated', data: after, preData: before });
    return undefined;
  },
});

export function parametersProblem(parameters: readonly StrategyTypeParameter[]): Rejection | undefined {
  const names = new Set<string>();
  for (const [index, { name }] of parameters.entries()) {
    if (names.has(name)) return invalid(`Two parameters are called ${name}.`, `/parameters/${index}/name`);
    names.add(name);
  }
  return undefined;
}

const route = routesOf('Strategy types');

const deprecationRoute = (action: 'deprecate' | 'reactivate', summary: string) =>
  route(`POST /api/admin/strategies/:name/${action}`, `${action}Strategy`, {
    access: { permission: 'UPDATE_STRATEGY' },
    edits: 'strategyType',
    summary,
    handle: ({ params, caller }, services) =>
      change(services, caller, deprecateStrategyType, { name: params.name, deprecated: action === 'deprecate' }),
  });

export const strategyTypeEndpoints = [
  ...strategyTypes.endpoints,
  deprecationRoute('deprecate', 'Marks a strategy type as deprecated; strategies of this type work as before'),
  deprecationRoute('reactivate', 'Marks a strategy type as no longer deprecated'),
];

export const undoStrategyType: UndoRule<StrategyType> = strategyTypes.undo;
