import { pushAll } from '../../../base/lists/push-all.ts';
import { type Loose, object, text, textOrNull } from '../loose-json.ts';
import { ALL_CONTEXTS, both, type Condition, contextFieldOf, UnsupportedFlag } from './conditions.ts';
import { conditionOf, type NamedRules, parseRule, referencedRule, variableOf, workingContexts } from './json-logic.ts';
import { type Branch, VariantValues } from './rule-flag.ts';
import type { VendorFlags } from './vendor-flags.ts';

export function isFlagdFile(file: Loose): boolean {
  const flags = Object.values(object(file.flags));
  return flags.length > 0 && flags.every((flag) => object(flag).variants !== undefined);
}

/** Reads the flags of a flagd file. Each has variants, a default variant, and targeting in JsonLogic. */
export function readFlagdFile(file: Loose, into: VendorFlags): void {
  const evaluators = object(file.$evaluators);
  for (const [name, sent] of Object.entries(object(file.flags))) {
    const flag = object(sent);
    into.add(name, () => {
      const rules = new FlagdRules(name, flag, evaluators);
      const branches = [...rules.branches()];
      const isOff = text(flag.state) === 'DISABLED';
      if (isOff && rules.values.isBoolean)
        into.note(
          name,
          'it is disabled in the file, so applications use their own default; in Burgee it is off, which is false',
        );
      if (rules.hasPercentages) into.notePercentages(name);
      return { name, description: textOrNull(object(flag.metadata).description), branches, enabled: !isOff };
    });
  }
}

class FlagdRules {
  readonly values: VariantValues;
  hasPercentages = false;
  readonly #name: string;
  readonly #targeting: unknown;
  readonly #default: string | undefined;
  readonly #evaluators: NamedRules;

  constructor(name: string, flag: Loose, evaluators: NamedRules) {
    this.#name = name;
    this.values = new VariantValues(object(flag.variants));
    this.#targeting = flag.targeting;
    this.#default = text(flag.defaultVariant) || undefined;
    this.#evaluators = evaluators;
  }

  branches(): Branch[] {
    const targeting = this.#targeting;
    const isEmpty = targeting === undefined || targeting === null || Object.keys(targeting as object).length === 0;
    return isEmpty ? this.#defaultBranches(ALL_CONTEXTS) : this.#resolve(targeting, ALL_CONTEXTS, 0);
  }

  /** The branches of a rule, for contexts that match the condition `when`. The last branch applies to all of these contexts. */
  #resolve(rule: unknown, when: Condition, depth: number): Branch[] {
    if (rule === null || rule === undefined) return this.#defaultBranches(when);
    if (typeof rule === 'string' || typeof rule === 'boolean') return [this.values.branch(when, String(rule))];
    const { operator, operands } = parseRule(rule, depth);
    if (operator === '$ref') return this.#resolve(referencedRule(rule, this.#evaluators), when, depth + 1);
    if (operator === 'fractional') return this.#percentageBranches(operands, when);
    if (operator !== 'if') {
      const condition = conditionOf(rule, this.#evaluators, depth);
      // If the default variant is what flagd returns for false, it does not matter whether the operator fails.
      const working = this.#default === 'false' ? undefined : workingContexts(rule, this.#evaluators, depth);
      const branches = [this.values.branch(both([when, condition]), 'true')];
      if (working === undefined) return [...branches, this.values.branch(when, 'false')];
      return [...branches, this.values.branch(both([when, working]), 'false'), ...this.#defaultBranches(when)];
    }
    const branches: Branch[] = [];
    for (let index = 0; index + 1 < operands.length; index += 2) {
      const condition = both([when, conditionOf(operands[index], this.#evaluators, depth + 1)]);
      pushAll(branches, this.#resolve(operands[index + 1], condition, depth + 1));
    }
    return [...branches, ...this.#resolve(operands.length % 2 === 1 ? operands.at(-1) : null, when, depth + 1)];
  }

  #defaultBranches(when: Condition): Branch[] {
    if (this.#default !== undefined) return [this.values.branch(when, this.#default)];
    if (!this.values.isBoolean) return [{ when, isOn: false }];
    throw new UnsupportedFlag(
      'it has no default variant: applications use their own default, which Burgee cannot represent',
    );
  }

  #percentageBranches(operands: readonly unknown[], when: Condition): Branch[] {
    this.hasPercentages = true;
    const stickiness = Array.isArray(operands[0]) ? undefined : this.#stickinessOf(operands[0]);
    const entries = operands.slice(Array.isArray(operands[0]) ? 0 : 1).map((entry) => {
      const [name, weight = 1] = Array.isArray(entry) ? entry : [];
      if (typeof name !== 'string' || typeof weight !== 'number' || weight < 0)
        throw new UnsupportedFlag('its percentages are calculated by a rule');
      return [name, weight] as const;
    });
    const branches = this.values.split(when, entries, stickiness);
    // A context without this field gets the default.
    return stickiness === undefined
      ? branches
      : [...branches.filter(({ isOn }) => isOn), ...this.#defaultBranches(when)];
  }

  /** The field whose value selects the variant in a percentage split. Undefined if it is the user id. */
  #stickinessOf(sent: unknown): string | undefined {
    const parts = object(sent).cat;
    const names = (Array.isArray(parts) ? parts : [sent]).map(variableOf).filter((name) => name !== '$flagd.flagKey');
    const [name, other] = names;
    if (name === undefined || other !== undefined || names.length !== 1)
      throw new UnsupportedFlag(`${this.#name} is split by a calculated value`);
    return name === 'targetingKey' ? undefined : contextFieldOf(name);
  }
}
