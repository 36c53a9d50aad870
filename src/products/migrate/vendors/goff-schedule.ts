import { type Loose, list, object, text, time } from '../loose-json.ts';
import { ALL_CONTEXTS, both, type Condition, not, one, UnsupportedFlag } from './conditions.ts';

/** The definition of a flag for a period of time. */
export interface Phase {
  readonly when: Condition;
  readonly sent: Loose;
}

/**
 * Splits a flag with a schedule into phases between its dates. GO Feature Flag changes the flag at each date. In Burgee, the rules of the flag check
 * the time instead. A step applies after its date. All steps that apply change the flag in the order of the list, not in the order of their dates.
 * @throws UnsupportedFlag
 */
export function phasesOf({ scheduledRollout, ...flag }: Loose): Phase[] {
  if (scheduledRollout !== undefined && !Array.isArray(scheduledRollout))
    throw new UnsupportedFlag('its scheduledRollout is not a list');
  // A step without a date never applies.
  const steps = list(scheduledRollout)
    .filter(({ date }) => date !== undefined && date !== null)
    .map((step) => ({ step, from: dateOf(step) }));
  const dates = [...new Set(steps.map(({ from }) => from))].sort();
  return [undefined, ...dates].map((begin, index) => {
    const end = dates[index];
    const dueSteps = steps.filter(({ from }) => begin !== undefined && from <= begin);
    return {
      when: both([
        begin === undefined ? ALL_CONTEXTS : after(begin),
        end === undefined ? ALL_CONTEXTS : not(after(end)),
      ]),
      sent: dueSteps.reduce((changed, { step }) => withStep(changed, step), flag as Loose),
    };
  });
}

function dateOf({ date }: Loose): string {
  const dateTime = time(date);
  if (dateTime === undefined)
    throw new UnsupportedFlag(`a step of its scheduledRollout has the date ${JSON.stringify(date)}`);
  return dateTime;
}

const after = (value: string) => one({ contextName: 'currentTime', operator: 'DATE_AFTER', value });

function withStep(flag: Loose, { targeting, defaultRule, variations, disable, experimentation }: Loose): Loose {
  if (experimentation !== undefined) throw new UnsupportedFlag('a step of its scheduledRollout has an experimentation');
  return {
    ...flag,
    targeting: withRules(rulesIn(flag.targeting), rulesIn(targeting)),
    ...(flag.defaultRule !== undefined && { defaultRule: withRule(object(flag.defaultRule), object(defaultRule)) }),
    variations: { ...object(flag.variations), ...object(variations) },
    ...(disable !== undefined && { disable }),
  };
}

/** The rules of `targeting`, which is a list of rules or a single rule. */
export function rulesIn(targeting: unknown): readonly Loose[] {
  if (Array.isArray(targeting)) return list(targeting);
  return targeting ? [object(targeting)] : [];
}

/** Applies the changes of a step to the rules. A change with the name of an existing rule changes that rule. All other changes are appended. */
function withRules(rules: readonly Loose[], changes: readonly Loose[]): Loose[] {
  const byName = new Map(changes.filter(({ name }) => name !== undefined).map((rule) => [text(rule.name), rule]));
  const known = new Set(rules.map(({ name }) => text(name)).filter((name) => byName.has(name)));
  const merged = rules.map((rule) => withRule(rule, byName.get(text(rule.name)) ?? {}));
  return [...merged, ...changes.filter(({ name }) => !known.has(text(name)))];
}

/** Applies a change to a rule. Percentages are merged, and negative ones are removed. Old percentages take precedence over a new variation. */
function withRule(rule: Loose, { query, variation, percentage, progressiveRollout, disable }: Loose): Loose {
  const shares = Object.entries({ ...object(rule.percentage), ...object(percentage) });
  return {
    ...rule,
    ...(query !== undefined && { query }),
    ...(variation !== undefined && { variation }),
    ...(progressiveRollout !== undefined && { progressiveRollout }),
    ...(percentage !== undefined && {
      percentage: Object.fromEntries(shares.filter(([, share]) => Number(share) >= 0)),
    }),
    ...(disable !== undefined && { disable }),
  };
}
