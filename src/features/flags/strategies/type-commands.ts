import Type from 'typebox';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { command } from '../../../engine/command.ts';
import { LIMITS } from '../../../model/limits.ts';
import { NameReference, Nullable, Text, UrlSafeName } from '../../../model/primitives.ts';
import type { StrategyType, StrategyTypeParameter } from '../../../model/strategy-type.ts';
import type { StateReader } from '../../../state/collections.ts';
import { usedByDefault } from './first.ts';

export const StrategyTypeTitle = Nullable(Type.String({ maxLength: 500 }));

export const StrategyTypeParameterName = Type.String({ minLength: 1, maxLength: 100 });

export const StrategyTypeParameterType = Type.Enum(['string', 'percentage', 'list', 'number', 'boolean']);

export const StrategyTypeFacts = {
  title: StrategyTypeTitle,
  description: Nullable(Text),
  parameters: Type.Array(
    Type.Object({
      name: StrategyTypeParameterName,
      type: StrategyTypeParameterType,
      description: Text,
      required: Type.Boolean(),
    }),
    { maxItems: LIMITS.strategyParameters.max },
  ),
};

export function findStrategyType(reader: StateReader, name: string): StrategyType | Rejection {
  return reader.get('strategyTypes', name) ?? notFound(`The strategy type ${name} does not exist.`);
}

/** Makes a custom strategy known. What it does is up to the SDKs that implement it. */
export const createStrategyType = command({
  name: 'create-strategy-type',
  input: Type.Object({ name: UrlSafeName, ...StrategyTypeFacts }),
  decide({ draft, emit }, input) {
    if (draft.get('strategyTypes', input.name)) return conflict(`The strategy type ${input.name} exists already.`);
    const problem = parametersProblem(input.parameters);
    if (problem) return problem;
    const { name, title, description, parameters } = input;
    const type: StrategyType = { name, title, description, parameters, editable: true, deprecated: false };
    draft.put('strategyTypes', type);
    emit({ type: 'strategy-created', data: type });
    return type;
  },
});

/** Replaces what is said about a custom strategy; built-in ones cannot be edited. */
export const updateStrategyType = command({
  name: 'update-strategy-type',
  input: Type.Object({ name: NameReference, ...StrategyTypeFacts }),
  decide({ draft, emit }, input) {
    const before = findEditable(draft, input.name);
    if (before instanceof Rejection) return before;
    const problem = parametersProblem(input.parameters);
    if (problem) return problem;
    const { title, description, parameters } = input;
    const after: StrategyType = { ...before, title, description, parameters };
    draft.put('strategyTypes', after);
    emit({ type: 'strategy-updated', data: after, preData: before });
    return undefined;
  },
});

/** Deletes a custom strategy that no flag uses, archived ones included. */
export const deleteStrategyType = command({
  name: 'delete-strategy-type',
  input: Type.Object({ name: NameReference }),
  decide({ draft, emit }, { name }) {
    const type = findEditable(draft, name);
    if (type instanceof Rejection) return type;
    for (const feature of draft.lookup('featuresByCustomStrategy', name)) {
      return conflict(`The strategy type ${name} is in use, among others by the feature ${feature.name}.`);
    }
    const used = usedByDefault(draft, 'defaultStrategiesByType', name, `The strategy type ${name}`);
    if (used) return used;
    draft.remove('strategyTypes', name);
    emit({ type: 'strategy-deleted', preData: type });
    return undefined;
  },
});

/** Advises against a strategy, or no longer. It works as before. */
export const deprecateStrategyType = command({
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

function findEditable(reader: StateReader, name: string): StrategyType | Rejection {
  const type = findStrategyType(reader, name);
  if (type instanceof Rejection || type.editable) return type;
  return invalid(`The strategy type ${name} is built in and cannot be changed.`);
}

export function parametersProblem(parameters: readonly StrategyTypeParameter[]): Rejection | undefined {
  const names = new Set<string>();
  for (const [index, { name }] of parameters.entries()) {
    if (names.has(name)) return invalid(`Two parameters are called ${name}.`, `/parameters/${index}/name`);
    names.add(name);
  }
  return undefined;
}
