import type { Constraint } from '../../model/constraint.ts';
import { type Condition, conditionWithWarning } from '../condition.ts';
import { fieldReader } from '../context.ts';
import { compileRanges } from '../ip-address.ts';
import { listOperand } from '../operands/text.ts';

export const operator = 'IN_CIDR';

/** IPv4 and IPv6 ranges and exact addresses. Entries that are none are skipped, with a warning. */
export function compile(constraint: Constraint): Condition {
  const read = fieldReader(constraint.contextName);
  const ranges = compileRanges(listOperand(constraint));
  const warning = ranges.invalid.length === 0 ? null : `not an address range: ${ranges.invalid.slice(0, 5).join(', ')}`;
  return conditionWithWarning((context) => {
    const address = read(context);
    return address !== undefined && ranges.hasAny(address);
  }, warning);
}
