import { invalid, type Rejection } from '../../base/rejection.ts';
import type { Guard } from '../../engine/guard.ts';
import { environmentRuleProblem } from '../shared/environment-rule.ts';

/**
 * Refuses changes of flags without a reason in environments that demand one. Changes of the service itself need none. A change request needs none
 * either: its title and its comments say why.
 */
export const reasonGuard: Guard = {
  name: 'reason',
  *beforeCommit({ before, after, changes, caller, command }) {
    const { kind, reason } = caller;
    const isExempt = reason !== null || command.isReviewed || (kind !== 'user' && kind !== 'admin');
    if (isExempt || before.count('environmentsWithReason', '') === 0) return undefined;
    const environments = Array.from(before.lookup('environmentsWithReason', ''), ({ name }) => ({ environment: name }));
    return yield* environmentRuleProblem({ before, after }, changes, {
      environmentsOf: () => environments,
      problemOf: (_project, environment) => reasonNeeded(environment),
    });
  },
};

function reasonNeeded(environment: string): Rejection {
  return invalid(
    `Changes of flags in the environment ${environment} need a reason: send it in the header burgee-reason, percent-encoded.`,
  );
}
