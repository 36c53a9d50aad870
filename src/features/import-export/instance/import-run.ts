import { Rejection } from '../../../base/rejection.ts';
import { isSameJson } from '../../../base/same-json.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { CommandContext, NewEvent } from '../../../engine/command.ts';
import type { Collections, OwnKeyName } from '../../../state/collections.ts';
import type { ImportedKind, ItemResult } from './input.ts';

/** Collects the results while one input is imported. */
export class ImportRun {
  readonly context: CommandContext;
  readonly items: ItemResult[] = [];
  unchanged = 0;

  constructor(context: CommandContext) {
    this.context = context;
  }

  /** Imports one item by calling `importIt`. If the item is refused, records the reason. Returns whether it was imported. */
  *importItem(
    kind: ImportedKind,
    name: string,
    importIt: () => Rejection | undefined | Steps<Rejection | undefined>,
  ): Steps<boolean> {
    const before = this.items.length;
    const outcome = importIt();
    const problem = outcome === undefined || outcome instanceof Rejection ? outcome : yield* outcome;
    if (problem) this.refuse(kind, name, problem.message);
    else if (this.items.length === before) this.unchanged++;
    return problem === undefined;
  }

  refuse(kind: ImportedKind, name: string, reason: string): void {
    this.items.push({ kind, name, outcome: 'refused', reason });
  }

  /**
   * Puts the entity into the draft, unless it is unchanged. `toEventData` returns the data of the audit event, for example the entity without its
   * secrets. By default, it is the whole entity.
   */
  put<C extends OwnKeyName>(
    { kind, name, collection, before, after }: EntityChange<C>,
    {
      type,
      toEventData,
      ...at
    }: Omit<NewEvent, 'data' | 'preData'> & { readonly toEventData?: (entity: Collections[C]) => unknown },
  ): void {
    if (before !== undefined && isSameJson(before, after)) return;
    this.context.draft.put(collection, after);
    const data = toEventData ? toEventData(after) : after;
    const preData = before && (toEventData ? toEventData(before) : before);
    this.context.emit({ ...at, type, data, preData });
    const changed = before === undefined ? undefined : differences(before, after);
    this.items.push({ kind, name, ...(changed ? { outcome: 'changed', changed } : { outcome: 'created' }) });
  }
}

interface EntityChange<C extends OwnKeyName> {
  readonly kind: ImportedKind;
  readonly name: string;
  readonly collection: C;
  readonly before: Collections[C] | undefined;
  readonly after: Collections[C];
}

/** The names of the properties that differ. */
function differences(before: object, after: object): string[] {
  const [was, is] = [before, after] as Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isSameJson(was?.[name], is?.[name]));
}
