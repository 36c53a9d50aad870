import type { Static } from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import { ok } from '../../http/answer.ts';
import { withGrant } from '../../model/caller.ts';
import { chosenDraft, grantToRequest, requestChanges } from '../change-requests/commands.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { UndoBody, UndoneSchema, UndoRevision } from './schemas.ts';
import { readUndo, type UndoSender } from './undo.ts';
import { type UndoInput, undoChanges } from './undo-command.ts';
import { undoneInEnvironment } from './undo-request.ts';

const route = routesOf('History');

type WantedRequest = NonNullable<Static<typeof UndoBody>['changeRequest']>;

/** Adds the undo to a draft change request. */
async function requestUndo(services: Services, { caller, asker }: UndoSender, wanted: WantedRequest, input: UndoInput) {
  const { environment } = wanted;
  const steps = undoneInEnvironment(services.state, wanted, input);
  const found = await inSlices(steps, Slicer.of(asker));
  if (found instanceof Rejection) return found;
  const { project, changes } = found;
  const request = { project, environment, changes: [...changes], ...chosenDraft(wanted.draft) };
  // The path of the request does not name the project, so nothing was demanded there yet.
  const requester = withGrant(caller, grantToRequest(project, environment), caller);
  return change(services, requester, requestChanges, request, ({ id }) =>
    ok({ undone: input.reversals.length, changeRequest: id, left: input.left }),
  );
}

const undoRevision = route('POST /api/admin/history/:revision/undo', 'undoRevision', {
  access: { permission: 'READ' },
  summary: 'Undoes a commit',
  description:
    'Makes a new commit in which every field that the commit changed has its earlier value. Fields that it did not change stay. If a field was changed ' +
    'again, the answer is 409 with these fields, and nothing changes. The rules and permissions of the ordinary edits apply, and an undo gives no rights ' +
    'that its author does not have. In a protected environment, send `changeRequest`: the undo of flags and segments becomes part of a draft. Users, passwords, ' +
    'sessions, tokens, change requests and settings of the instance are never restored: `left` says so (docs/use/history.md).',
  params: { revision: UndoRevision },
  body: UndoBody,
  bodyOptional: true,
  responses: { 200: { description: 'The changes were undone', schema: UndoneSchema } },
  errors: [409, 413, 429],
  async handle({ params: { revision }, body, caller, asker }, services) {
    const { entities, changeRequest } = body;
    const environments = changeRequest ? [changeRequest.environment] : body.environments;
    const input = await readUndo(services, { caller, asker }, { revision, entities, environments });
    if (input instanceof Rejection) return input;
    if (changeRequest) return requestUndo(services, { caller, asker }, changeRequest, input);
    return change(services, caller, undoChanges, input, ({ undone }) =>
      ok({ undone, changeRequest: null, left: input.left }),
    );
  },
});

export const undoEndpoints = [undoRevision];
