import { assert } from '../../base/assert.ts';
import type { RecordedName } from '../../state/collections.ts';
import { allRecorded } from '../shared/recorded.ts';
import type { UndoRule } from '../shared/undoing.ts';

type Rules = { readonly [C in RecordedName]: UndoRule<never> };

let rules: Rules | undefined;

/** Loads the rules by which changes are undone. Called once, before requests are served. */
export async function loadUndoRules(): Promise<void> {
  const rows = Object.entries(allRecorded()).map(async ([name, { undo }]) => [name, await undo()] as const);
  rules = Object.fromEntries(await Promise.all(rows)) as unknown as Rules;
}

export function undoRuleOf(collection: RecordedName): UndoRule<object> {
  assert(rules, 'the rules of undos are not loaded: call loadUndoRules first');
  return rules[collection] as UndoRule<object>;
}

/**
 * Entities are changed and created in this order: each after those that it refers to. Rights come last: what an undo gives back does not count for the
 * undo itself. Those that are not listed refer to no others, and come first.
 */
const PUT_ORDER: readonly RecordedName[] = [
  'environments',
  'strategyTypes',
  'tagTypes',
  'tags',
  'featureTypes',
  'banners',
  'projects',
  'contextFields',
  'segments',
  'features',
  'defaultStrategies',
  'changeRequestConfigs',
  'roles',
  'groups',
  'groupMembers',
  'projectRoles',
];

/**
 * Entities are removed in this order: each before those that it refers to, and a project before the roles that are deleted with it. Those that are not
 * listed are removed last.
 */
const REMOVE_ORDER: readonly RecordedName[] = [
  'features',
  'defaultStrategies',
  'changeRequestConfigs',
  'segments',
  'contextFields',
  'projects',
  'projectRoles',
  'groupMembers',
  'groups',
  'roles',
  'strategyTypes',
  'tags',
  'tagTypes',
  'featureTypes',
  'banners',
  'environments',
];

const notIn = (order: readonly RecordedName[]) =>
  (Object.keys(allRecorded()) as RecordedName[]).filter((name) => !order.includes(name));

export const putOrder = (): readonly RecordedName[] => [...notIn(PUT_ORDER), ...PUT_ORDER];
export const removeOrder = (): readonly RecordedName[] => [...REMOVE_ORDER, ...notIn(REMOVE_ORDER)];
