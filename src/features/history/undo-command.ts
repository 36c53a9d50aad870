import { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, type Decidable, decideInSteps } from '../../engine/command.ts';
import type { Feature } from '../../model/feature.ts';
import type { Segment } from '../../model/segment.ts';
import { permissionProblem } from '../people/permission-problem.ts';
import { deleteSegment, segmentNameProblem, updateSegment } from '../segments/commands.ts';
import { findProject } from '../shared/lookup.ts';
import { type FieldConflict, withoutChange } from './field-changes.ts';
import { undoFlag } from './undo-flag.ts';

/** An entity before and after the commit that is undone. Null: it did not exist. */
export type Reversal =
  | {
      readonly collection: 'features';
      readonly key: string;
      readonly before: Feature | null;
      readonly after: Feature | null;
    }
  | {
      readonly collection: 'segments';
      readonly key: string;
      readonly before: Segment | null;
      readonly after: Segment | null;
    };

export interface UndoInput {
  readonly revision: number;
  readonly reversals: readonly Reversal[];
}

/** Who changed a flag: it is recorded for every change, also for an undo. */
const KEPT = ['collaborators', 'changedAt'] as const;

/**
 * Undoes a commit: each field that it changed gets its earlier value, in one commit. If one of them was changed again, nothing is undone. The rules and
 * the permissions of ordinary edits apply.
 */
export const undoChanges: Decidable<UndoInput, { readonly undone: number }> = {
  *decide(context, { revision, reversals }) {
    const conflicts: FieldConflict[] = [];
    const undone: { readonly reversal: Reversal; readonly merged: object | undefined }[] = [];
    for (const reversal of reversals) {
      undone.push({ reversal, merged: mergedEntity(context, reversal, conflicts) });
      yield;
    }
    if (conflicts.length > 0) return conflictRejection(conflicts);
    let count = 0;
    for (const { reversal, merged } of undone) {
      const problem =
        reversal.collection === 'features'
          ? yield* undoFlag(context, revision, reversal.key, merged as Feature | undefined)
          : yield* undoSegment(context, reversal.key, merged as Segment | undefined);
      if (problem instanceof Rejection) return problem;
      if (problem) count++;
      yield;
    }
    return { undone: count };
  },
};

/** The entity without the change; undefined if it then does not exist. */
export function mergedEntity(
  { draft }: Pick<CommandContext, 'draft'>,
  { collection, key, before, after }: Reversal,
  conflicts: FieldConflict[],
): object | undefined {
  const current = draft.get(collection, key) as object | undefined;
  const path = `/${collection}/${key}`;
  const merged = withoutChange(withoutKept(before), withoutKept(after), withoutKept(current), conflicts, path);
  if (merged === undefined) return undefined;
  const kept = KEPT.flatMap((field) => (current && field in current ? [[field, current[field as never]]] : []));
  return { ...(merged as object), ...Object.fromEntries(kept) };
}

function withoutKept(entity: object | null | undefined): object | undefined {
  if (!entity) return undefined;
  return Object.fromEntries(Object.entries(entity).filter(([field]) => !KEPT.includes(field as never)));
}

const CONFLICTS_MAX = 100;

/** The rejection that names the fields that were changed again. */
export function conflictRejection(conflicts: readonly FieldConflict[]): Rejection {
  const details = conflicts.slice(0, CONFLICTS_MAX).map(({ path, current }) => ({
    message: 'This field was changed again. Its current value is in `current`.',
    path,
    current: current ?? null,
  }));
  const fields = conflicts.length === 1 ? 'One field was' : `${conflicts.length} fields were`;
  return new Rejection('NameExistsError', `${fields} changed again; nothing was undone.`, details);
}

/** Returns whether the segment changes. */
function* undoSegment(context: CommandContext, key: string, merged: Segment | undefined): Steps<boolean | Rejection> {
  const { draft, emit } = context;
  const current = draft.get('segments', key);
  if (!current && !merged) return false;
  if (!merged) {
    const problem = yield* decideInSteps(deleteSegment, context, { id: Number(key) });
    return problem instanceof Rejection ? problem : true;
  }
  const { id, name, description, constraints, project } = merged;
  if (current) {
    const input = { id, name, description, constraints: [...constraints], project };
    const outcome = yield* decideInSteps(updateSegment, context, input);
    return outcome instanceof Rejection ? outcome : true;
  }
  const owner = project === null ? undefined : findProject(draft, project);
  const problem =
    permissionProblem(context, ['CREATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'], project) ??
    segmentNameProblem(draft, name) ??
    (owner instanceof Rejection ? owner : undefined);
  if (problem) return problem;
  draft.put('segments', merged);
  emit({ type: 'segment-created', project: project ?? undefined, data: merged });
  return true;
}
