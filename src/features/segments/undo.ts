import { permissionProblem } from '../../access/permission-problem.ts';
import { Rejection } from '../../base/rejection.ts';
import { decideInSteps } from '../../engine/command.ts';
import type { Segment } from '../../model/segment.ts';
import { findProject } from '../shared/lookup.ts';
import { removalBy, type UndoRule } from '../shared/undoing.ts';
import { deleteSegment, segmentNameProblem, updateSegment } from './commands.ts';

/** The commands of ordinary edits check the permissions. */
export const undoSegment: UndoRule<Segment> = {
  *put(context, { current, wanted }) {
    const { draft, emit } = context;
    const { id, name, description, constraints, project } = wanted;
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
    draft.put('segments', wanted);
    emit({ type: 'segment-created', project: project ?? undefined, data: wanted });
    return true;
  },
  remove: removalBy(deleteSegment, ({ id }) => ({ id })),
};
