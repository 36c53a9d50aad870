import { Rejection } from '../../../base/rejection.ts';
import { type Caller, systemCaller, userCaller, withGrant } from '../../../model/caller.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { AppliedCommit } from '../../../state/state.ts';
import { findServiceAccount } from '../../people/personal-tokens/commands.ts';
import { DueWork } from '../../shared/due-work.ts';
import { type ActionRun, permissionOf, type RunAction } from './action-set.ts';
import { nextAction, recordActionFailure, runAction } from './running.ts';

/** Makes the actions of accepted signals. */
export class ActionRunner extends DueWork {
  protected concerns({ changes, bulk }: AppliedCommit): boolean {
    return (bulk?.changesExceptFlags ?? changes).some(
      ({ collection }) => collection === 'actionRuns' || collection === 'settings',
    );
  }

  protected async submitDue(closing: AbortSignal): Promise<number | 'retry'> {
    let isStuck = false;
    for (const { id } of pendingRuns(this.parts.replica.state))
      isStuck = !(await this.#finish(String(id), closing)) || isStuck;
    return isStuck ? 'retry' : Number.POSITIVE_INFINITY;
  }

  /** Makes the actions of the execution that wait. Returns false if one must be tried again later. */
  async #finish(id: string, closing: AbortSignal): Promise<boolean> {
    const { state } = this.parts.replica;
    for (;;) {
      const run = state.get('actionRuns', id);
      const next = run && nextAction(run);
      if (!run || !next || closing.aborted) return true;
      const isDone = await this.#make(run, next.index, next.action);
      if (!isDone) return false;
    }
  }

  async #make(run: ActionRun, index: number, action: RunAction): Promise<boolean> {
    const { writer, logger, replica } = this.parts;
    const position = { run: run.id, index };
    try {
      const caller = callerOf(replica.state, run, action);
      const outcome = caller instanceof Rejection ? caller : await writer.submit(runAction, position, caller);
      if (!(outcome instanceof Rejection)) return true;
      if (outcome.name === 'ServiceUnavailableError') return false;
      const account = caller instanceof Rejection ? '' : `The service account ${caller.author.name} was refused. `;
      const details = account + outcome.message;
      const recorded = await writer.submit(recordActionFailure, { ...position, details }, systemCaller());
      return !(recorded instanceof Rejection);
    } catch (error) {
      logger.error({ err: error, run: run.id }, 'an error in Burgee prevented an action; it is tried again');
      return false;
    }
  }
}

/**
 * The service account as the sender of an action: it needs the permission that a request for the same change needs. The writer checks it on the state
 * on which the action is decided.
 */
function callerOf(reader: StateReader, run: ActionRun, action: RunAction): Caller | Rejection {
  const set = reader.get('actionSets', String(run.actionSetId));
  const account = findServiceAccount(reader, set?.actorId ?? 0);
  if (account instanceof Rejection) return account;
  const endpoint = reader.get('signalEndpoints', String(set?.sourceId));
  const reason = `Signal ${run.signalId} of the endpoint ${endpoint?.name ?? '(deleted)'}, action set ${set?.name}`;
  const grant = { required: [permissionOf(action)], project: run.project, environment: action.environment };
  return withGrant(userCaller(account, null), grant, { reason });
}

/** The executions with actions that wait, oldest first. */
function pendingRuns(reader: StateReader): ActionRun[] {
  return [...reader.lookup('pendingActionRuns', '')].sort((left, right) => left.id - right.id);
}
