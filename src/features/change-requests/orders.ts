import { Rejection } from '../../base/rejection.ts';
import { type CommandContext, type Decidable, decideInSteps } from '../../engine/command.ts';
import type { Order } from '../../engine/decision.ts';
import { type Caller, type Grant, systemCaller, withGrant } from '../../model/caller.ts';
import type { ChangeAction, ChangeRequest } from '../../model/change-request.ts';
import { PERMISSIONS } from '../../model/permission.ts';
import { commandFor, permissionFor, subjectOf } from './actions.ts';
import { makeChanges } from './applying.ts';

/** A change in the form in which clients request it. */
interface UnsavedChange {
  readonly action: ChangeAction;
  readonly feature?: string | null | undefined;
  readonly payload?: unknown;
}

interface Location {
  readonly project: string;
  readonly environment: string;
}

/**
 * The order that the request of a client would give to the writer to make this change directly, without a change request. It needs the same
 * permission.
 */
export function orderOf(caller: Caller, location: Location, change: UnsavedChange): Order {
  const { action, feature = null, payload } = change;
  const flagName = subjectOf(action) === 'feature' ? feature : null;
  const command: Decidable<unknown, unknown> = {
    *decide(context: CommandContext) {
      const ready = yield* commandFor(action, { ...location, feature: flagName }, payload);
      return ready instanceof Rejection ? ready : yield* decideInSteps(ready.command, context, ready.input);
    },
  };
  return { command, input: null, caller: withGrant(caller, grantOf(action, location), caller) };
}

/** The grant of a request that makes the change. */
function grantOf(action: ChangeAction, { project, environment }: Location): Grant {
  const permission = permissionFor(action);
  if (permission !== null) {
    const hasEnvironment = PERMISSIONS[permission] === 'environment';
    return { required: [permission], project, environment: hasEnvironment ? environment : null };
  }
  // Only the command can find out the project of a segment.
  const required = [
    action === 'deleteSegment' ? 'DELETE_SEGMENT' : 'UPDATE_SEGMENT',
    'UPDATE_PROJECT_SEGMENT',
  ] as const;
  return { required, project: undefined, environment: null };
}

/** An order that makes all changes of the request as if it had been approved, without closing the request. */
export function orderOfRequest({ author }: Caller, request: ChangeRequest): Order {
  const command: Decidable<unknown, unknown> = {
    isReviewed: true,
    decide: (context: CommandContext) => makeChanges(context, request),
  };
  return { command, input: null, caller: systemCaller(author) };
}
