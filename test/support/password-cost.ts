import type { ScryptCost } from '../../src/features/people/passwords/password.ts';

/** A thousandth of the usual cost: a password is stored and compared the same way. */
export const CHEAP: ScryptCost = { N: 16, r: 8, p: 1 };
