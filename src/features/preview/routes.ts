import type { Asker } from '../../base/asker.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import type { Caller } from '../../model/caller.ts';
import { routesOf } from '../endpoint.ts';
import { undoOrder } from '../history/tried-undo.ts';
import type { Services } from '../services.ts';
import { onOneState } from '../shared/on-one-state.ts';
import { comparisonAnswer } from './answer.ts';
import { PREVIEW_LIMITS } from './limits.ts';
import { PreviewBody, type PreviewRequest, PreviewResponse } from './schemas.ts';
import { tryChanges } from './trial.ts';

const route = routesOf('Playground');

const previewChanges = route('POST /api/admin/preview', 'previewChanges', {
  access: { permission: 'READ' },
  summary: 'How the results of contexts would differ after changes that are not saved',
  description:
    'Takes `changes` in the format of change requests (docs/use/change-requests.md), the id of an open change request, or an undo. It tries them on a temporary ' +
    'state and saves nothing. It refuses what a request that saves the changes would refuse, with the same status and message; for unsaved changes the ' +
    'caller needs the same permissions. A change of a protected environment is not refused: the answer says that it needs a change request. Then it ' +
    'evaluates every context before and after the changes: counts for each flag, examples with reasons, and cost and bytes of the rules beside their ' +
    'limits. Flags that use a changed segment or depend on a changed flag are included. Each context has one random number for all its evaluations. So ' +
    'a difference is never due to chance. Contexts, flags, the time of all evaluations, and the previews in progress are limited (docs/reference/limits.md).',
  body: PreviewBody,
  responses: { 200: { description: 'The differences', schema: PreviewResponse } },
  errors: [404, 409, 413, 429],
  async handle({ body, caller, asker }, services) {
    const { holder } = asker;
    const { previewQuota } = services;
    if (!previewQuota.take(holder)) {
      return new Rejection('TooManyRequestsError', 'Too many previews are in progress. Try again.', [], 1);
    }
    try {
      return await preview(services, { caller, asker }, body);
    } finally {
      previewQuota.give(holder);
    }
  },
});

async function preview(
  services: Services,
  { caller, asker }: { readonly caller: Caller; readonly asker: Asker },
  body: PreviewRequest,
) {
  const { changes, changeRequest, undo } = body;
  if ([changes, changeRequest, undo].filter((one) => one !== undefined).length !== 1) {
    return invalid('A preview needs one of `changes`, `changeRequest` and `undo`.', '/changes');
  }
  const order = undo && (await undoOrder(services, { caller, asker }, undo));
  if (order instanceof Rejection) return order;
  const where = { state: services.state, subject: 'the changes', asker };
  const trial = await onOneState(where, () => tryChanges(services, caller, body, order));
  if (trial instanceof Rejection) return trial;
  const answer = comparisonAnswer(trial, body.examples ?? DEFAULT_EXAMPLES, services.config.limits);
  const pieces = await workInSlices(answer, Slicer.of(asker));
  return pieces instanceof Rejection ? pieces : { status: 200, pieces };
}

const DEFAULT_EXAMPLES = Math.min(3, PREVIEW_LIMITS.previewExamples.max);

export const previewEndpoints = [previewChanges];
