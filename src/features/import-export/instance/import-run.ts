import { Rejection } from '../../../base/rejection.ts';
import { isSameJson } from '../../../base/same-json.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { CommandContext, NewEvent } from '../../../engine/command.ts';
import type { Collections, OwnKeyName } from '../../../state/collections.ts';
import type { ImportedInstance, ImportedKind } from './input.ts';

/** One input while it is imported, and the results so far. */
export class ImportRun {
  readonly context: CommandContext;
  readonly items: ImportedInstance[] = [];
  unchanged = 0;

  constructor(context: CommandContext) {
    this.context = context;
  }

  /** Imports one thing. If the thing is refused, records the reason. Returns whether it was imported. */
  *take(
    kind: ImportedKind,
    name: string,
    how: () => Rejection | undefined | Steps<Rejection | undefined>,
  ): Steps<boolean> {
    const before = this.items.length;
    const done = how();
    const problem = done === undefined || done instanceof Rejection ? done : yield* done;
    if (problem) this.refuse(kind, name, problem.message);
    else if (this.items.length === before) this.unchanged++;
    return problem === undefined;
  }

  refuse(kind: ImportedKind, name: string, reason: string): void {
    this.items.push({ kind, name, outcome: 'refused', reason });
  }

  /**
   * Puts the thing into the draft, unless it is unchanged. `presented` removes the data from the event that not every reader of events may see.
   */
  put<C extends OwnKeyName>(
    { kind, name, collection, before, after }: Putting<C>,
    {
      type,
      presented,
      ...at
    }: Omit<NewEvent, 'data' | 'preData'> & { readonly presented?: (entity: Collections[C]) => unknown },
  ): void {
    if (before !== undefined && isSameJson(before, after)) return;
    this.context.draft.put(collection, after);
    const data = presented ? presented(after) : after;
    const preData = before && (presented ? presented(before) : before);
    this.context.emit({ ...at, type, data, preData });
    const changed = before === undefined ? undefined : differences(before, after);
    this.items.push({ kind, name, ...(changed ? { outcome: 'changed', changed } : { outcome: 'created' }) });
  }
}

interface Putting<C extends OwnKeyName> {
  readonly kind: ImportedKind;
  readonly name: string;
  readonly collection: C;
  readonly before: Collections[C] | undefined;
  readonly after: Collections[C];
}

/** Names of the properties that differ. */
function differences(before: object, after: object): string[] {
  const [was, is] = [before, after] as Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isSameJson(was?.[name], is?.[name]));
}
