import { both, type Condition, EVERYBODY, fieldNamed, one, Unkeepable } from './conditions.ts';
import { queryCondition } from './goff-query.ts';
import { type Phase, phasesOf, rulesIn } from './goff-schedule.ts';
import { conditionOf } from './json-logic.ts';
import { flag, type Loose, object, text, textOrNull } from './loose-json.ts';
import type { OtherFile } from './other-files.ts';
import { type Branch, Values } from './rule-flag.ts';

export function isGoffFile(file: Loose): boolean {
  const flags = Object.values(file).map(object);
  return flags.length > 0 && flags.every(({ variations }) => Object.keys(object(variations)).length > 0);
}

/** Reads the flags of a GO Feature Flag file. Each has variations, targeting rules with queries, and a default rule. */
export function readGoffFile(file: Loose, into: OtherFile): void {
  for (const [name, value] of Object.entries(file)) {
    const sent = object(value);
    into.take(name, () => {
      if (sent.experimentation !== undefined)
        throw new Unkeepable('it has an experimentation, which changes it over time');
      const phases = phasesOf(sent);
      const isOff = phases.every((phase) => flag(phase.sent.disable));
      const branches = phases.flatMap((phase): Branch[] =>
        flag(phase.sent.disable) && !isOff ? [{ when: phase.when, isOn: false }] : branchesOf(phase),
      );
      const { isBoolean } = new Values(object(sent.variations));
      if (isBoolean && phases.some((phase) => flag(phase.sent.disable)))
        into.note(name, 'it is disabled there, so the code’s own default applies; here it is off, which is false');
      if (phases.some((phase) => isSharedOut(phase.sent))) into.noteShares(name);
      return { name, description: textOrNull(object(sent.metadata).description), branches, enabled: !isOff };
    });
  }
}

/** The branches for the time of the phase. They cover every context that GO Feature Flag evaluates. */
function branchesOf({ when, sent }: Phase): Branch[] {
  const values = new Values(object(sent.variations));
  const key = text(sent.bucketingKey);
  const by = key === '' || key === 'targetingKey' ? undefined : fieldNamed(key);
  // GO Feature Flag does not evaluate a context without this field.
  if (by !== undefined && values.isBoolean)
    throw new Unkeepable(`without ${by} the code’s own default applies, which cannot be represented here`);
  const all = both(when, by === undefined ? EVERYBODY : one({ contextName: by, operator: 'REGEX', value: '(?s).' }));
  const branches: Branch[] = [];
  for (const rule of rulesIn(sent.targeting)) {
    if (flag(rule.disable)) continue;
    if (text(rule.query).trim() === '') throw new Unkeepable('a rule of its targeting has no query');
    branches.push(...answersOf(rule, both(all, conditionOfQuery(text(rule.query).trim())), { values, by }));
  }
  if (sent.defaultRule === undefined) throw new Unkeepable('it has no defaultRule');
  return [...branches, ...answersOf(object(sent.defaultRule), all, { values, by })];
}

function conditionOfQuery(query: string): Condition {
  if (!query.startsWith('{')) return queryCondition(query);
  try {
    return conditionOf(JSON.parse(query), {});
  } catch (error) {
    if (error instanceof Unkeepable) throw error;
    throw new Unkeepable('a query of it is not valid JSON');
  }
}

function answersOf(
  rule: Loose,
  when: Condition,
  { values, by }: { readonly values: Values; readonly by: string | undefined },
): Branch[] {
  if (rule.progressiveRollout !== undefined)
    throw new Unkeepable('it has a progressiveRollout, which changes it over time');
  if (rule.percentage !== undefined) {
    const shares = Object.entries(object(rule.percentage)).map(([name, weight]) => [name, Number(weight)] as const);
    return values.split(when, shares, by);
  }
  if (typeof rule.variation !== 'string' && typeof rule.variation !== 'boolean')
    throw new Unkeepable('a rule of it names no variation');
  return [values.branch(when, text(rule.variation))];
}

function isSharedOut({ targeting, defaultRule }: Loose): boolean {
  const rules = [...rulesIn(targeting), object(defaultRule)];
  return rules.some(({ percentage }) => percentage !== undefined);
}
