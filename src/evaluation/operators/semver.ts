import type { SemVer } from 'semver';
// The package's index also loads ranges, which are not used here.
import parse from 'semver/functions/parse.js';
import type { Constraint } from '../../model/constraint.ts';
import { cachingLastText } from '../caching-last-text.ts';
import { type Condition, condition, type Predicate, unsatisfiableCondition } from '../condition.ts';
import { type EvaluationContext, fieldReader } from '../context.ts';
import type { OperatorFamily } from './operator-family.ts';

/**
 * Compares the field's version with the rule's version: negative, 0 or positive; NaN when the field is missing or not a version,
 * which makes every comparison false. Build metadata is ignored.
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

/** The package's parser takes one or two microseconds, and refuses texts of more than 256 characters. */
const COST = { fixed: 100, perChar: 0.05 };

function compile(constraint: Constraint, build: (order: VersionOrder) => Predicate): Condition {
  const operand = parseVersion(constraint.value ?? '');
  if (operand === null) return unsatisfiableCondition(`"${constraint.value ?? ''}" is not a semantic version`);
  const read = fieldReader(constraint.contextName);
  const order: VersionOrder = (context) => {
    const text = read(context);
    return text === undefined ? Number.NaN : compareVersion(text, operand);
  };
  return condition(build(order), COST);
}

/** A leading `v` is common but not allowed in a semantic version: the public specification refuses it. */
function parseVersion(text: string): SemVer | null {
  return text.startsWith('v') ? null : parse(text);
}

const DOT = 46;
const ZERO = 48;
const NINE = 57;

/** The semver package parses numbers with more digits: it checks the range of exact integers. */
const MAX_FAST_DIGITS = 15;

/** A version for comparison: `exact` is set when three numbers are not enough to represent it. */
interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly exact: SemVer | null;
}

/** Null when the text is not a version. */
const readVersion = cachingLastText((text: string): Version | null => plainVersion(text) ?? exactVersion(text));

/** `major.minor.patch` with few digits; null for any other text. */
function plainVersion(text: string): Version | null {
  let major = 0;
  let minor = 0;
  let part = 0;
  let number = 0;
  let digits = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= ZERO && code <= NINE) {
      if (digits === MAX_FAST_DIGITS || (digits > 0 && number === 0)) return null;
      number = number * 10 + (code - ZERO);
      digits++;
    } else {
      if (code !== DOT || digits === 0 || part === 2) return null;
      if (part === 0) major = number;
      else minor = number;
      part++;
      number = 0;
      digits = 0;
    }
  }
  return part === 2 && digits > 0 ? { major, minor, patch: number, exact: null } : null;
}

function exactVersion(text: string): Version | null {
  const exact = parseVersion(text);
  return exact && { major: exact.major, minor: exact.minor, patch: exact.patch, exact };
}

function compareVersion(text: string, operand: SemVer): number {
  const version = readVersion(text);
  if (version === null) return Number.NaN;
  if (version.exact !== null) return version.exact.compare(operand);
  const order = version.major - operand.major || version.minor - operand.minor || version.patch - operand.patch;
  // A release comes after every pre-release of the same number.
  return order === 0 && operand.prerelease.length > 0 ? 1 : order;
}
