import semver, { type SemVer } from 'semver';
import type { Constraint } from '../../model/constraint.ts';
import { type Condition, condition, type Predicate, unsatisfiable } from '../condition.ts';
import type { OperatorFamily } from '../constraint.ts';
import { type EvaluationContext, fieldReader } from '../context.ts';

/**
 * How the field's version compares with the rule's: negative, 0 or positive; NaN when the field is missing or no version,
 * which makes every comparison false. Build metadata does not count.
 */
type VersionOrder = (context: EvaluationContext) => number;

/** SEMVER_*: the field compared with the rule's version. */
export const semverOperators: OperatorFamily = {
  SEMVER_EQ: (constraint) => compile(constraint, (order) => (context) => order(context) === 0),
  SEMVER_GT: (constraint) => compile(constraint, (order) => (context) => order(context) > 0),
  SEMVER_GTE: (constraint) => compile(constraint, (order) => (context) => order(context) >= 0),
  SEMVER_LT: (constraint) => compile(constraint, (order) => (context) => order(context) < 0),
  SEMVER_LTE: (constraint) => compile(constraint, (order) => (context) => order(context) <= 0),
};

/** The package's parser takes a microsecond or two, and refuses texts of more than 256 characters. */
const COST = { fixed: 100, perChar: 0.05 };

function compile(constraint: Constraint, build: (order: VersionOrder) => Predicate): Condition {
  const operand = parseVersion(constraint.value ?? '');
  if (operand === null) return unsatisfiable(`"${constraint.value ?? ''}" is not a semantic version`);
  const read = fieldReader(constraint.contextName);
  const order: VersionOrder = (context) => {
    const text = read(context);
    return text === undefined ? Number.NaN : compareVersion(text, operand);
  };
  return condition(build(order), COST);
}

/** A leading `v` is common but no semantic version: the public specification refuses it. */
function parseVersion(text: string): SemVer | null {
  return text.startsWith('v') ? null : semver.parse(text);
}

const DOT = 46;
const ZERO = 48;
const NINE = 57;

/** Numbers of more digits are left to the semver package, which knows where exactness ends. */
const MAX_FAST_DIGITS = 15;

/** `major.minor.patch` is compared digit by digit, without allocating; anything else takes the package's full parser. */
function compareVersion(text: string, operand: SemVer): number {
  let part = 0;
  let number = 0;
  let digits = 0;
  let order = 0;
  for (let index = 0; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : DOT;
    if (code >= ZERO && code <= NINE) {
      if (digits === MAX_FAST_DIGITS || (digits > 0 && number === 0)) return compareParsed(text, operand);
      number = number * 10 + (code - ZERO);
      digits++;
    } else {
      if (code !== DOT || digits === 0 || part === 3) return compareParsed(text, operand);
      if (order === 0) order = number - (part === 0 ? operand.major : part === 1 ? operand.minor : operand.patch);
      part++;
      number = 0;
      digits = 0;
    }
  }
  if (part !== 3) return compareParsed(text, operand);
  // A release comes after every pre-release of the same number.
  return order === 0 && operand.prerelease.length > 0 ? 1 : order;
}

function compareParsed(text: string, operand: SemVer): number {
  const version = parseVersion(text);
  return version === null ? Number.NaN : version.compare(operand);
}
