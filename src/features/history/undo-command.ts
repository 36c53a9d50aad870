import { Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext, Decidable } from '../../engine/command.ts';
import type { RecordedName } from '../../state/collections.ts';
import { type FieldConflict, withoutChange } from '../shared/field-changes.ts';
import type { NeverUndone } from '../shared/never-undone.ts';
import { resultOf, type Undone } from '../shared/undoing.ts';
import { putOrder, removeOrder, undoRuleOf } from './undo-rules.ts';

/** An entity before and after the commit that is undone. Null: it did not exist. */
export interface Reversal {
  readonly collection: RecordedName;
  readonly key: string;
  readonly before: object | null;
  readonly after: object | null;
}

export interface UndoInput {
  readonly revision: number;
  readonly reversals: readonly Reversal[];
  /** What stays as the commit left it. */
  readonly left: readonly NeverUndone[];
}

/** What the undo changes, by collection. */
type Plan = ReadonlyMap<RecordedName, readonly Undone<object>[]>;

/**
 * Undoes a commit: each field that it changed gets its earlier value, in one commit. If one of them was changed again, nothing is undone. The rules and
 * the permissions of ordinary edits apply: `UndoRule`.
 */
export const undoChanges: Decidable<UndoInput, { readonly undone: number }> = {
  *decide(context, { revision, reversals }) {
    const plan = yield* planOf(context, reversals);
    if (plan instanceof Rejection) return plan;
    const refusal = yield* hookProblem(context, plan, 'check');
    if (refusal) return refusal;
    const put = yield* putAll(context, plan, revision);
    if (put instanceof Rejection) return put;
    const problem = yield* hookProblem(context, plan, 'settle');
    if (problem) return problem;
    const removed = yield* removeAll(context, plan);
    if (removed instanceof Rejection) return removed;
    return (yield* hookProblem(context, plan, 'finish')) ?? { undone: put + removed };
  },
};

/** The entities that differ from what they are without the commit. A rejection if fields of it were changed again. */
function* planOf(context: CommandContext, reversals: readonly Reversal[]): Steps<Plan | Rejection> {
  const conflicts: FieldConflict[] = [];
  const plan = new Map<RecordedName, Undone<object>[]>();
  for (const reversal of reversals) {
    const { collection, key } = reversal;
    const wanted = mergedEntity(context, reversal, conflicts);
    const current = context.draft.get(collection, key) as object | undefined;
    yield;
    if (current === wanted || (current && wanted && isSameJson(current, wanted))) continue;
    const undone = { key, current, wanted };
    const others = plan.get(collection);
    if (others) others.push(undone);
    else plan.set(collection, [undone]);
  }
  return conflicts.length > 0 ? conflictRejection(conflicts) : plan;
}

function* hookProblem(
  context: CommandContext,
  plan: Plan,
  hook: 'check' | 'settle' | 'finish',
): Steps<Rejection | undefined> {
  for (const collection of putOrder()) {
    const rule = undoRuleOf(collection);
    for (const undone of plan.get(collection) ?? []) {
      const problem = yield* resultOf(rule[hook]?.(context, undone));
      if (problem) return problem;
      yield;
    }
  }
  return undefined;
}

/** Returns how many entities changed. */
function* putAll(context: CommandContext, plan: Plan, revision: number): Steps<number | Rejection> {
  let count = 0;
  for (const collection of putOrder()) {
    const rule = undoRuleOf(collection);
    for (const { wanted, ...undone } of plan.get(collection) ?? []) {
      if (wanted === undefined) continue;
      const changed = yield* resultOf(rule.put(context, { ...undone, wanted }, revision));
      if (changed instanceof Rejection) return changed;
      if (changed) count++;
      yield;
    }
  }
  return count;
}

/** Returns how many entities were removed, also those that were removed with others. */
function* removeAll(context: CommandContext, plan: Plan): Steps<number | Rejection> {
  let count = 0;
  for (const collection of removeOrder()) {
    const rule = undoRuleOf(collection);
    for (const { key, wanted } of plan.get(collection) ?? []) {
      if (wanted !== undefined) continue;
      const current = context.draft.get(collection, key) as object | undefined;
      const problem = current && (yield* resultOf(rule.remove(context, current)));
      if (problem) return problem;
      count++;
      yield;
    }
  }
  return count;
}

/** The entity without the change; undefined if it then does not exist. */
export function mergedEntity(
  { draft }: Pick<CommandContext, 'draft'>,
  { collection, key, before, after }: Reversal,
  conflicts: FieldConflict[],
): object | undefined {
  const { derived = [], sets = [] } = undoRuleOf(collection);
  const current = (draft.get(collection, key) as object | undefined) ?? null;
  const [old, changed, now] = [before, after, current].map((entity) => comparedFields(entity, derived, sets));
  const merged = withoutChange(old, changed, now, conflicts, `/${collection}/${key}`) as Fields | undefined;
  if (merged === undefined) return undefined;
  const source = (current ?? before ?? {}) as Fields;
  const kept = derived.flatMap((field) => (field in source ? [[field, source[field]]] : []));
  return inOrderOf(source, { ...withoutSets(merged, sets), ...Object.fromEntries(kept) });
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields that are compared: without those that follow from other changes, and with named items in lists without an order. */
function comparedFields(
  entity: object | null,
  derived: readonly string[],
  sets: readonly string[],
): Fields | undefined {
  if (!entity) return undefined;
  const fields = Object.entries(entity).filter(([field]) => !derived.includes(field));
  return Object.fromEntries(
    fields.map(([field, value]) => [
      field,
      sets.includes(field) ? (value as readonly unknown[]).map((item) => ({ value: String(item), item })) : value,
    ]),
  );
}

function withoutSets(merged: Fields, sets: readonly string[]): Fields {
  const lists = sets.map((field) => [
    field,
    (merged[field] as readonly { readonly item: unknown }[]).map(({ item }) => item),
  ]);
  return { ...merged, ...Object.fromEntries(lists) };
}

/** The fields in the order of another version of the entity. */
function inOrderOf(source: Fields, fields: Fields): Fields {
  const names = [...Object.keys(source).filter((name) => name in fields), ...Object.keys(fields)];
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

/** Maximum number of conflicts that an answer lists, and of the characters of their values. The first one is always listed. */
const CONFLICTS_MAX = 100;
const CONFLICT_CHARS_MAX = 500_000;

/** The rejection that names the fields that were changed again. */
export function conflictRejection(conflicts: readonly FieldConflict[]): Rejection {
  const details: { readonly message: string; readonly path: string; readonly current: unknown }[] = [];
  let chars = 0;
  for (const { path, current = null } of conflicts.slice(0, CONFLICTS_MAX)) {
    chars += JSON.stringify(current).length;
    if (details.length > 0 && chars > CONFLICT_CHARS_MAX) break;
    const message = 'This field was changed again. Its current value is in `current`.';
    details.push({ message, path, current });
  }
  const fields = conflicts.length === 1 ? 'One field was' : `${conflicts.length} fields were`;
  return new Rejection('NameExistsError', `${fields} changed again; nothing was undone.`, details);
}
