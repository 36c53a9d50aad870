import Type, { type Static } from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext } from '../../engine/command.ts';
import { CHANGE_ACTIONS, type ChangeRequest, type RequestedChange } from '../../model/change-request.ts';
import { NameReference, Nullable } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import { Draft } from '../../state/draft.ts';
import { templateVersion } from '../release-plans/templates/template.ts';
import { commandFor, type ReadyCommand, subjectOf } from './actions.ts';
import { decideChange, makeChange } from './applying.ts';
import { basisOf } from './replaced-value.ts';

/** A change as a client requests it. */
export const WantedChange = Type.Object({
  action: Type.Enum([...CHANGE_ACTIONS], { description: 'What the change does' }),
  feature: Type.Optional(Nullable(NameReference)),
  payload: Type.Optional(Type.Unknown({ description: 'Details of the action: docs/use/change-requests.md' })),
});
type WantedChange = Static<typeof WantedChange>;

/** Makes the changes on the context's draft. Skips changes that cannot be made any more; answers report them as conflicts. */
export function* tryChanges(
  context: CommandContext,
  { project }: Pick<ChangeRequest, 'project'>,
  changes: readonly RequestedChange[],
): Steps<void> {
  for (const change of changes) {
    const layer = new Draft(context.draft);
    const problem = yield* makeChange({ ...context, draft: layer, emit: () => {} }, project, change);
    if (!problem) context.draft.absorb(layer.changes());
  }
}

/**
 * Makes the change on the draft `trial`, and returns it in its stored form. Its `basis` is computed from the context's draft, where the other changes
 * of the request are not made.
 */
export function* tryChange(
  context: CommandContext,
  trial: Draft,
  { project, environment }: ChangeRequest,
  { id, action, feature = null, payload }: WantedChange & { readonly id: number },
): Steps<RequestedChange | Rejection> {
  const { draft, by, now } = context;
  const flagName = subjectOf(action) === 'feature' ? feature : null;
  const requested = yield* commandFor(action, { project, environment, feature: flagName }, payload);
  if (requested instanceof Rejection) return requested;
  const ready = action === 'addReleasePlan' ? withTemplateVersion(draft, requested) : requested;
  const segment = subjectOf(action) === 'segment' ? draft.get('segments', String(ready.input.id)) : undefined;
  const basis = basisOf(draft, { environment, feature: flagName, action }, ready);
  const problem = yield* decideChange({ ...context, draft: trial, emit: () => {} }, project, ready);
  if (problem) return problem;
  yield;
  return {
    id,
    action,
    feature: flagName,
    segment: segment ? { id: segment.id, name: segment.name } : null,
    usesSegments: segmentsUsed(ready),
    command: ready.command.name,
    input: ready.input,
    basis,
    bytes: Buffer.byteLength(JSON.stringify(ready.input)),
    createdBy: by,
    createdAt: now,
  };
}

/** Reviewers approve the milestones as they are now: the plan cannot be made of a template that was changed since. */
function withTemplateVersion(reader: StateReader, { command: planCommand, input }: ReadyCommand): ReadyCommand {
  const version = templateVersion(reader, String(input.templateId));
  return { command: planCommand, input: version === undefined ? input : { ...input, templateVersion: version } };
}

function segmentsUsed({ input }: ReadyCommand): readonly number[] {
  const { strategy, changes } = input as { readonly strategy?: SegmentUse; readonly changes?: SegmentUse };
  return [...new Set((strategy ?? changes)?.segments ?? [])];
}

interface SegmentUse {
  readonly segments?: readonly number[];
}
