import { pushAll } from '../../../base/lists/push-all.ts';
import { isTrue, type Loose, object, text, textOrNull } from '../loose-json.ts';
import { ALL_CONTEXTS, both, type Condition, contextFieldOf, one, UnsupportedFlag } from './conditions.ts';
import { queryCondition } from './goff-query.ts';
import { type Phase, phasesOf, rulesIn } from './goff-schedule.ts';
import { conditionOf } from './json-logic.ts';
import { type Branch, VariantValues } from './rule-flag.ts';
import type { VendorFlags } from './vendor-flags.ts';

export function isGoffFile(file: Loose): boolean {
  const flags = Object.values(file).map(object);
  return flags.length > 0 && flags.every(({ variations }) => Object.keys(object(variations)).length > 0);
}

/** Reads the flags of a GO Feature Flag file. Each has variations, targeting rules with queries, and a default rule. */
export function readGoffFile(file: Loose, into: VendorFlags): void {
  for (const [name, value] of Object.entries(file)) {
    const sent = object(value);
    into.add(name, () => {
      if (sent.experimentation !== undefined)
        throw new UnsupportedFlag('it has an experimentation, which changes it over time');
      const phases = phasesOf(sent);
      const isOff = phases.every((phase) => isTrue(phase.sent.disable));
      const branches = phases.flatMap((phase): Branch[] =>
        isTrue(phase.sent.disable) && !isOff ? [{ when: phase.when, isOn: false }] : branchesOf(phase),
      );
      const { isBoolean } = new VariantValues(object(sent.variations));
      if (isBoolean && phases.some((phase) => isTrue(phase.sent.disable)))
        into.note(
          name,
          'it is disabled in the file, so applications use their own default; in Burgee it is off, which is false',
        );
      if (phases.some((phase) => hasPercentages(phase.sent))) into.notePercentages(name);
      return { name, description: textOrNull(object(sent.metadata).description), branches, enabled: !isOff };
    });
  }
}

/** The branches of the flag during the phase. One of them matches every context that GO Feature Flag evaluates. */
function branchesOf({ when, sent }: Phase): Branch[] {
  const values = new VariantValues(object(sent.variations));
  const key = text(sent.bucketingKey);
  const stickiness = key === '' || key === 'targetingKey' ? undefined : contextFieldOf(key);
  // GO Feature Flag does not evaluate a context without this field.
  if (stickiness !== undefined && values.isBoolean)
    throw new UnsupportedFlag(
      `without ${stickiness}, applications use their own default, which Burgee cannot represent`,
    );
  const condition = both([
    when,
    stickiness === undefined ? ALL_CONTEXTS : one({ contextName: stickiness, operator: 'REGEX', value: '(?s).' }),
  ]);
  const branches: Branch[] = [];
  for (const rule of rulesIn(sent.targeting)) {
    if (isTrue(rule.disable)) continue;
    if (text(rule.query).trim() === '') throw new UnsupportedFlag('a rule of its targeting has no query');
    pushAll(
      branches,
      branchesOfRule(rule, both([condition, conditionOfQuery(text(rule.query).trim())]), { values, stickiness }),
    );
  }
  if (sent.defaultRule === undefined) throw new UnsupportedFlag('it has no defaultRule');
  return [...branches, ...branchesOfRule(object(sent.defaultRule), condition, { values, stickiness })];
}

function conditionOfQuery(query: string): Condition {
  if (!query.startsWith('{')) return queryCondition(query);
  try {
    return conditionOf(JSON.parse(query), {});
  } catch (error) {
    if (error instanceof UnsupportedFlag) throw error;
    throw new UnsupportedFlag('a query of it is not valid JSON');
  }
}

function branchesOfRule(
  rule: Loose,
  when: Condition,
  { values, stickiness }: { readonly values: VariantValues; readonly stickiness: string | undefined },
): Branch[] {
  if (rule.progressiveRollout !== undefined)
    throw new UnsupportedFlag('it has a progressiveRollout, which changes it over time');
  if (rule.percentage !== undefined) {
    const shares = Object.entries(object(rule.percentage)).map(([name, weight]) => [name, Number(weight)] as const);
    return values.split(when, shares, stickiness);
  }
  if (typeof rule.variation !== 'string' && typeof rule.variation !== 'boolean')
    throw new UnsupportedFlag('a rule of it names no variation');
  return [values.branch(when, text(rule.variation))];
}

function hasPercentages({ targeting, defaultRule }: Loose): boolean {
  const rules = [...rulesIn(targeting), object(defaultRule)];
  return rules.some(({ percentage }) => percentage !== undefined);
}
