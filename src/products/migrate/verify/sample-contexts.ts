import { Mulberry32 } from '../../../base/mulberry32.ts';
import { Rejection } from '../../../base/rejection.ts';
import type { EvaluationContext } from '../../../evaluation/context.ts';
import { evaluationContext } from '../../../evaluation/sdk-context.ts';
import type { Constraint } from '../../../model/constraint.ts';
import type { SdkContext } from '../../../model/context.ts';
import type { Holdings } from '../holdings.ts';
import { addressesAround } from './sample-addresses.ts';
import type { SdkList } from './sdk-list.ts';

/** Maximum number of values that are tried for one field. Further values are ignored. */
const VALUES_MAX = 200;

/** The names of the top-level fields of contexts. All other fields are properties. */
const TOP_LEVEL_FIELDS = new Set(['userId', 'sessionId', 'remoteAddress', 'appName', 'environment', 'currentTime']);

/**
 * Creates contexts for which rules match and contexts for which they do not match. The values come from constraints, from legal values of context
 * fields, from ids and address ranges of strategies, and from names of applications. Values close to these, and values that no rule contains, are
 * added. The contexts are always the same. No text is created to match a regular expression: of such constraints, only the definitions are compared.
 */
export class ContextSampler {
  readonly #values = new Map<string, Set<string>>();
  /** Has a fixed seed, so the contexts are the same every time. */
  readonly #random = new Mulberry32(20_261_122);

  constructor(lists: readonly SdkList[], { contextFields }: Holdings, appNames: readonly string[]) {
    for (const name of ['userId', 'sessionId', 'appName', 'remoteAddress']) this.#add(name, ['somebody', '7']);
    this.#add('appName', appNames);
    for (const { name, legalValues } of contextFields)
      this.#add(
        name,
        legalValues.map(({ value }) => value),
      );
    for (const list of lists) {
      for (const constraint of list.constraints()) this.#add(constraint.contextName, valuesAround(constraint));
      for (const { strategies, variants } of list.flags.values()) {
        for (const { parameters } of strategies) this.#addParameters(parameters);
        for (const { overrides = [] } of variants)
          for (const { contextName, values } of overrides) this.#add(contextName, values);
      }
    }
  }

  /** A context for an environment; `asText` is its description for users. */
  next(environment: string): { readonly context: EvaluationContext; readonly asText: string } {
    for (;;) {
      const sent = this.#draw();
      const options = { environment, nowMs: TIME_MS, random: () => 0.42, sessionId: 'a-session' };
      const context = evaluationContext(sent, options);
      if (!(context instanceof Rejection)) return { context, asText: JSON.stringify(sent) };
    }
  }

  #draw(): SdkContext {
    const fields: Record<string, string> = Object.create(null);
    const properties: Record<string, string> = Object.create(null);
    for (const [name, values] of this.#values) {
      // One field in four is left out, because rules treat missing fields in a special way.
      if (this.#random.next() < 0.25) continue;
      const value = this.#pick([...values], name);
      if (TOP_LEVEL_FIELDS.has(name)) fields[name] = value;
      else properties[name] = value;
    }
    const { environment: _environment, currentTime, ...rest } = fields;
    const isTime = currentTime !== undefined && !Number.isNaN(Date.parse(currentTime));
    return { ...rest, ...(isTime && { currentTime }), properties };
  }

  #pick(values: readonly string[], name: string): string {
    // Rollouts need many different ids.
    if (name === 'userId' || name === 'sessionId') {
      if (this.#random.next() < 0.5) return String(Math.floor(this.#random.next() * 1_000_000));
    }
    return values[Math.floor(this.#random.next() * values.length)] ?? '';
  }

  #addParameters(parameters: Readonly<Record<string, string>>): void {
    const { userIds, IPs, stickiness } = parameters;
    if (userIds !== undefined) this.#add('userId', split(userIds));
    if (IPs !== undefined) this.#add('remoteAddress', split(IPs).flatMap(addressesAround));
    if (stickiness !== undefined && !['default', 'random', ''].includes(stickiness))
      this.#add(stickiness, ['a', 'b', 'c', 'd']);
  }

  #add(name: string, values: readonly string[]): void {
    const known = this.#values.get(name) ?? new Set<string>();
    this.#values.set(name, known);
    for (const value of values.slice(0, VALUES_MAX))
      if (known.size < VALUES_MAX && value.length < 500) known.add(value);
  }
}

/** The time of evaluation. Any value works, because the lists of source and target are evaluated with the same time. */
const TIME_MS = Date.UTC(2026, 10, 22);
const SECOND_MS = 1_000;

function split(text: string): string[] {
  return text.split(',').map((each) => each.trim());
}

/** The values of a constraint, and values close to them. */
function valuesAround({ operator, values = [], value }: Constraint): string[] {
  const exactValues = [...values, ...(value === undefined ? [] : [value])];
  if (operator.startsWith('STR_')) return exactValues.flatMap((each) => [each, `x${each}x`, each.toUpperCase()]);
  if (operator.startsWith('NUM_'))
    return exactValues.flatMap((each) => [each, String(Number(each) - 1), String(Number(each) + 1)]);
  if (operator.startsWith('DATE_')) return exactValues.flatMap((each) => [each, ...secondsAround(each)]);
  if (operator.startsWith('SEMVER_')) return exactValues.flatMap((each) => [each, '0.0.1', '999.0.0', `${each}-beta`]);
  if (operator === 'IN_CIDR') return [...exactValues.flatMap(addressesAround), 'somewhere-else'];
  return [...exactValues, 'somewhere-else'];
}

function secondsAround(value: string): string[] {
  const time = Date.parse(value);
  if (Number.isNaN(time)) return [];
  return [-SECOND_MS, SECOND_MS].map((offsetMs) => new Date(time + offsetMs).toISOString());
}
