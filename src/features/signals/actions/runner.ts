import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { Rejection } from '../../../base/rejection.ts';
import { type Pause, Rounds } from '../../../base/rounds.ts';
import type { Replica } from '../../../engine/replica.ts';
import type { Writer } from '../../../engine/writer.ts';
import { type Caller, systemCaller, userCaller, withGrant } from '../../../model/caller.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { AppliedCommit } from '../../../state/state.ts';
import { findServiceAccount } from '../../people/personal-tokens/commands.ts';
import { isInMaintenance } from '../../shared/maintenance.ts';
import { type ActionRun, permissionOf, type RunAction } from './action-set.ts';
import { nextAction, recordActionFailure, runAction } from './running.ts';

const UNTIL_WOKEN: Pause = { ms: 30_000, canWake: true };
/** The pause before a failed write is retried. */
const RETRY: Pause = { ms: 1_000, canWake: false };

interface RunnerParts {
  readonly replica: Pick<Replica, 'state' | 'onApplied' | 'onReplaced'>;
  readonly writer: Pick<Writer, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Makes the actions of accepted signals. Every replica has a runner, and the runners use no lease: each one submits every action that waits, and the
 * command has an effect once. If a replica is killed before it submits an action, another replica or its next start submits it.
 */
export class ActionRunner {
  readonly #parts: RunnerParts;
  readonly #rounds: Rounds;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#rounds = new Rounds({
      clock: parts.clock,
      round: (closing) => this.#finishAll(closing),
      failed: (error) => {
        parts.logger.error({ err: error }, 'an error in Burgee prevented the search for actions that wait');
        return RETRY;
      },
    });
    parts.replica.onApplied((applied) => {
      if (concernsRuns(applied)) this.#rounds.wake();
    });
    parts.replica.onReplaced(() => this.#rounds.wake());
  }

  /** Starts to make actions. The state must be loaded. */
  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #finishAll(closing: AbortSignal): Promise<Pause> {
    const { state } = this.#parts.replica;
    // In maintenance mode users cannot make changes, and actions wait too. The commit that ends the mode wakes the runner.
    const pending = isInMaintenance(state) ? [] : pendingRuns(state);
    let isStuck = false;
    for (const { id } of pending) isStuck = !(await this.#finish(String(id), closing)) || isStuck;
    return isStuck ? RETRY : UNTIL_WOKEN;
  }

  /** Makes the actions of the execution that wait. Returns false if one must be tried again later. */
  async #finish(id: string, closing: AbortSignal): Promise<boolean> {
    const { state } = this.#parts.replica;
    for (;;) {
      const run = state.get('actionRuns', id);
      const next = run && nextAction(run);
      if (!run || !next || closing.aborted) return true;
      const isDone = await this.#make(run, next.index, next.action);
      if (!isDone) return false;
    }
  }

  async #make(run: ActionRun, index: number, action: RunAction): Promise<boolean> {
    const { writer, logger, replica } = this.#parts;
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

/** Whether the commit changes executions or settings. A setting states whether the service is in maintenance mode. */
function concernsRuns({ changes, bulk }: AppliedCommit): boolean {
  for (const { collection } of bulk?.changesExceptFlags ?? changes)
    if (collection === 'actionRuns' || collection === 'settings') return true;
  return false;
}
