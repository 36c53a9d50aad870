import {
  both,
  type Comparison,
  type Condition,
  comparesWithVersion,
  either,
  not,
  one,
  UnsupportedFlag,
} from './conditions.ts';

// flagd compares the versions `1.2.3`, also with a suffix for a pre-release or a build, and the short forms `1.2` and `1`, which mean `1.2.0` and
// `1.0.0`, all of them also with `v` or `V` before them. A number is its text: 2.1 is `2.1`. Operators for versions in SDKs know only the first form
// without `v`. So the other forms are compared by regular expressions, which is possible because the version of the rule is known.

const NUMBER = '(?:0|[1-9]\\d*)';
const IDENTIFIER = `(?:${NUMBER}|\\d*[A-Za-z-][\\dA-Za-z-]*)`;
const SUFFIX = `(?:-${IDENTIFIER}(?:\\.${IDENTIFIER})*)?(?:\\+[\\dA-Za-z-]+(?:\\.[\\dA-Za-z-]+)*)?`;

const RULE_VERSION = new RegExp(`^[vV]?(${NUMBER})(?:\\.(${NUMBER})(?:\\.(${NUMBER})(${SUFFIX}))?)?$`);

/** The condition that the field contains a version that flagd can compare. */
export function hasVersion(contextName: string): Condition {
  return matches(contextName, [`${NUMBER}(?:\\.${NUMBER}(?:\\.${NUMBER}${SUFFIX})?)?`]);
}

/** Compares the field with a version, as flagd does. @throws UnsupportedFlag */
export function comparesAsFlagd(contextName: string, comparison: Comparison, sent: unknown): Condition {
  const text = typeof sent === 'number' ? String(sent) : sent;
  const parts = typeof text === 'string' ? RULE_VERSION.exec(text) : null;
  if (!parts) throw new UnsupportedFlag(`its rule compares with ${JSON.stringify(sent)}, which is not a version`);
  const [, major = '0', minor = '0', patch = '0', suffix = ''] = parts;
  if (suffix.startsWith('-'))
    throw new UnsupportedFlag(
      `its rule compares with the pre-release ${JSON.stringify(sent)}: Burgee cannot compare it with a version such as v1.2.3-beta`,
    );
  const core = [major, minor, patch] as const;
  const ordered = (...orders: readonly Order[]) =>
    matches(
      contextName,
      orders.flatMap((order) => PATTERNS[order](core)),
    );
  const order = comparison === '!=' ? not(ordered('equal')) : ordered(...ORDERS[comparison]);
  // SDKs that do not know regular expressions compare complete versions with the operators for versions.
  return either([comparesWithVersion(contextName, comparison, core.join('.')), both([hasVersion(contextName), order])]);
}

type Core = readonly [major: string, minor: string, patch: string];
type Order = 'less' | 'equal' | 'greater';

const ORDERS: Readonly<Record<Exclude<Comparison, '!='>, readonly Order[]>> = {
  '<': ['less'],
  '<=': ['less', 'equal'],
  '=': ['equal'],
  '>': ['greater'],
  '>=': ['equal', 'greater'],
};

/** For each order, the patterns of the versions that have this order to a version without a pre-release. They match texts that are no versions, too. */
const PATTERNS: Readonly<Record<Order, (core: Core) => readonly string[]>> = {
  less: ([major, minor, patch]) => [
    ...below(major).map((less) => `${less}(?:\\..*)?`),
    ...below(minor).map((less) => `${major}\\.${less}(?:\\..*)?`),
    ...below(patch).map((less) => `${major}\\.${minor}\\.${less}(?:[-+].*)?`),
    ...(minor === '0' && patch === '0' ? [] : [major]),
    ...(patch === '0' ? [] : [`${major}\\.${minor}`]),
    `${major}\\.${minor}\\.${patch}-.*`,
  ],
  equal: ([major, minor, patch]) => [
    `${major}\\.${minor}\\.${patch}(?:\\+.*)?`,
    ...(patch === '0' ? [`${major}\\.${minor}`] : []),
    ...(minor === '0' && patch === '0' ? [major] : []),
  ],
  greater: ([major, minor, patch]) => [
    `${above(major)}(?:\\..*)?`,
    `${major}\\.${above(minor)}(?:\\..*)?`,
    `${major}\\.${minor}\\.${above(patch)}(?:[-+].*)?`,
  ],
};

/** The pattern of all numbers above this one: those with more digits, and those with a larger digit after the same beginning. */
function above(number: string): string {
  const larger = [...number].flatMap((digit, at) =>
    digit === '9' ? [] : [`${number.slice(0, at)}[${Number(digit) + 1}-9]${anyDigits(number.length - at - 1)}`],
  );
  return `(?:${[`[1-9]\\d{${number.length},}`, ...larger].join('|')})`;
}

/** The pattern of all numbers below this one; empty for 0. */
function below(number: string): readonly string[] {
  const first = number.length > 1 ? '1' : '0';
  const smaller = [...number].flatMap((digit, at) => {
    const least = at === 0 ? first : '0';
    return digit === least
      ? []
      : [`${number.slice(0, at)}[${least}-${Number(digit) - 1}]${anyDigits(number.length - at - 1)}`];
  });
  const shorter = number.length > 1 ? ['0', `[1-9]\\d{0,${number.length - 2}}`] : [];
  const all = [...shorter, ...smaller];
  return all.length > 0 ? [`(?:${all.join('|')})`] : [];
}

function anyDigits(count: number): string {
  return count > 0 ? `\\d{${count}}` : '';
}

function matches(contextName: string, patterns: readonly string[]): Condition {
  return one({ contextName, operator: 'REGEX', value: `^[vV]?(?:${patterns.join('|')})$` });
}
