import type { Work } from '../../base/work.ts';
import type { Constraint } from '../../model/constraint.ts';
import { type Condition, condition } from '../condition.ts';
import { fieldReader } from '../context.ts';
import { compileRanges } from '../ip-address.ts';
import { listOperand } from './membership.ts';
import type { OperatorFamily } from './operator-family.ts';

/** IN_CIDR: IPv4 and IPv6 ranges and exact addresses. Invalid entries are skipped, with a warning. */
export const cidrOperators: OperatorFamily = { IN_CIDR: compile };

function* compile(constraint: Constraint): Work<Condition> {
  const read = fieldReader(constraint.contextName);
  const ranges = yield* compileRanges(listOperand(constraint));
  const { invalid, cost } = ranges;
  const compiled = condition(
    (context) => {
      const address = read(context);
      return address !== undefined && ranges.hasAny(address);
    },
    { fixed: cost, perChar: 0.1 },
  );
  if (invalid.length === 0) return compiled;
  return { ...compiled, warning: `not an address range: ${invalid.slice(0, 5).join(', ')}` };
}
