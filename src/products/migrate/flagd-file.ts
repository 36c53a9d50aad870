import { both, type Condition, EVERYBODY, fieldNamed, Unkeepable } from './conditions.ts';
import { conditionOf, type Named, parsedRule, referred, variableOf } from './json-logic.ts';
import { type Loose, object, text, textOrNull } from './loose-json.ts';
import type { OtherFile } from './other-files.ts';
import { type Branch, Values } from './rule-flag.ts';

const DEPTH_MAX = 50;

export function isFlagdFile(file: Loose): boolean {
  const flags = Object.values(object(file.flags));
  return flags.length > 0 && flags.every((flag) => object(flag).variants !== undefined);
}

/** Reads the flags of a flagd file. Each has variants, a default variant, and targeting in JsonLogic. */
export function readFlagdFile(file: Loose, into: OtherFile): void {
  const evaluators = object(file.$evaluators);
  for (const [name, sent] of Object.entries(object(file.flags))) {
    const flag = object(sent);
    into.take(name, () => {
      const rules = new FlagdRules(name, flag, evaluators);
      const branches = [...rules.branches()];
      const isOff = text(flag.state) === 'DISABLED';
      if (isOff && rules.values.isBoolean)
        into.note(name, 'it is disabled there, so the code’s own default applies; here it is off, which is false');
      if (rules.isSharedOut) into.noteShares(name);
      return { name, description: textOrNull(object(flag.metadata).description), branches, enabled: !isOff };
    });
  }
}

class FlagdRules {
  readonly values: Values;
  isSharedOut = false;
  readonly #name: string;
  readonly #targeting: unknown;
  readonly #default: string | undefined;
  readonly #evaluators: Named;

  constructor(name: string, flag: Loose, evaluators: Named) {
    this.#name = name;
    this.values = new Values(object(flag.variants));
    this.#targeting = flag.targeting;
    this.#default = text(flag.defaultVariant) || undefined;
    this.#evaluators = evaluators;
  }

  branches(): Branch[] {
    const targeting = this.#targeting;
    const isEmpty = targeting === undefined || targeting === null || Object.keys(targeting as object).length === 0;
    return isEmpty ? this.#otherwise(EVERYBODY) : this.#resolve(targeting, EVERYBODY, 0);
  }

  /** The branches of a rule. The last branch is for all contexts that match the condition. */
  #resolve(rule: unknown, when: Condition, depth: number): Branch[] {
    if (rule === null || rule === undefined) return this.#otherwise(when);
    if (typeof rule === 'string' || typeof rule === 'boolean') return [this.values.branch(when, String(rule))];
    const { operator, operands } = parsedRule(rule, depth);
    if (depth > DEPTH_MAX) throw new Unkeepable('its rules are nested too deeply');
    if (operator === '$ref') return this.#resolve(referred(rule, this.#evaluators), when, depth + 1);
    if (operator === 'fractional') return this.#share(operands, when);
    if (operator !== 'if') {
      const holds = conditionOf(rule, this.#evaluators, depth);
      return [this.values.branch(both(when, holds), 'true'), this.values.branch(when, 'false')];
    }
    const branches: Branch[] = [];
    for (let index = 0; index + 1 < operands.length; index += 2) {
      const holds = both(when, conditionOf(operands[index], this.#evaluators, depth + 1));
      branches.push(...this.#resolve(operands[index + 1], holds, depth + 1));
    }
    return [...branches, ...this.#resolve(operands.length % 2 === 1 ? operands.at(-1) : null, when, depth + 1)];
  }

  #otherwise(when: Condition): Branch[] {
    if (this.#default !== undefined) return [this.values.branch(when, this.#default)];
    if (!this.values.isBoolean) return [{ when, isOn: false }];
    throw new Unkeepable('it has no default variant: the code’s own default applies, which cannot be represented here');
  }

  #share(operands: readonly unknown[], when: Condition): Branch[] {
    this.isSharedOut = true;
    const by = Array.isArray(operands[0]) ? undefined : this.#drawnBy(operands[0]);
    const entries = operands.slice(Array.isArray(operands[0]) ? 0 : 1).map((entry) => {
      const [name, weight = 1] = Array.isArray(entry) ? entry : [];
      if (typeof name !== 'string' || typeof weight !== 'number' || weight < 0)
        throw new Unkeepable('its percentages are calculated by a rule');
      return [name, weight] as const;
    });
    const branches = this.values.split(when, entries, by);
    // A context without this field gets none of the percentages.
    return by === undefined ? branches : [...branches.filter(({ isOn }) => isOn), ...this.#otherwise(when)];
  }

  /** The field whose value selects the variant in a percentage split. Undefined if the user selects it. */
  #drawnBy(sent: unknown): string | undefined {
    const parts = object(sent).cat;
    const names = (Array.isArray(parts) ? parts : [sent]).map(variableOf).filter((name) => name !== '$flagd.flagKey');
    const [name, other] = names;
    if (name === undefined || other !== undefined || names.length !== 1)
      throw new Unkeepable(`${this.#name} is split by a calculated value`);
    return name === 'targetingKey' ? undefined : fieldNamed(name);
  }
}
