import type { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import { Draft } from '../state/draft.ts';
import type { State } from '../state/state.ts';
import type { Decidable } from './command.ts';
import { decide, type Order, type Outcome, type Rules } from './decision.ts';
import type { Guard, Proposal } from './guard.ts';

/** The result of deciding orders without storing anything. */
export interface Rehearsal {
  /** One outcome for each order, as the writer would return it. A change that has to be reviewed counts as accepted. */
  readonly outcomes: readonly Outcome[];
  /** For each order: why its changes have to be reviewed first; undefined if they do not. */
  readonly reviews: readonly (Rejection | undefined)[];
  /** The state after the changes of all accepted orders. */
  readonly after: Draft;
}

/**
 * Decides the orders one after the other, exactly as the writer does, and stores nothing. The only difference: a change that has to be reviewed is
 * made, and the result contains the reason. The state must not change between the steps.
 */
export function* rehearse(orders: readonly Order[], state: State, now: string, rules: Rules): Steps<Rehearsal> {
  // Each order gets its own command object: reviews are found by it, and several orders may have the same command.
  const separateOrders = orders.map((order) => ({ ...order, command: { ...order.command } }));
  const reviews = new Map<Decidable<never, unknown>, Rejection>();
  const guards = rules.guards.map((guard) => (guard.demandsReview ? reportingGuard(guard, reviews) : guard));
  const { outcomes, commits } = yield* decide(separateOrders, state, now, { ...rules, guards });
  const after = new Draft(state);
  for (const { changes } of commits) {
    after.absorb(changes);
    yield;
  }
  return { outcomes, reviews: separateOrders.map(({ command }) => reviews.get(command)), after };
}

/** The guard, but it adds its rejections to `reviews` instead of refusing the command. */
function reportingGuard(guard: Guard, reviews: Map<Decidable<never, unknown>, Rejection>): Guard {
  return {
    ...guard,
    *beforeCommit(proposal: Proposal) {
      const problem = guard.beforeCommit && (yield* guard.beforeCommit(proposal));
      if (problem) reviews.set(proposal.command, problem);
      return undefined;
    },
  };
}
