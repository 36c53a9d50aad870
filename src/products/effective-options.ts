import { type Environment, MASK, type Option } from '../base/options.ts';
import { withoutCredentials } from '../base/without-credentials.ts';
import { OPTIONS } from '../config.ts';
import { limitEntries } from '../model/limits.ts';

/** One option as this process has it. */
export interface EffectiveOption {
  /** The variable that sets it: the one that did, else the first of those that may. */
  readonly variable: string;
  /** As text; of a secret, whether there is one; of an address, without a name and a password in it. */
  readonly value: string;
  /** Variables whose text it is; none when it is the default. */
  readonly from: readonly string[];
  readonly description: string;
}

/** What an environment sets of a list of options, and what the others default to. The environment must be one that `readOptions` takes. */
export function effectiveOf(list: Readonly<Record<string, Option>>, environment: Environment): EffectiveOption[] {
  return Object.values(list).map((option) => {
    const found = option.env.filter((name) => (environment[name] ?? '') !== '');
    const from = option.kind === 'list' ? found : found.slice(0, 1);
    const text = from.length > 0 ? from.map((name) => environment[name]).join(',') : option.default;
    return {
      variable: from[0] ?? option.env[0] ?? '',
      value: shownText(text, option),
      from,
      description: option.description,
    };
  });
}

function shownText(text: string, { kind, secret }: Option): string {
  if (secret && text !== '') return MASK;
  return kind === 'url' ? withoutCredentials(text, MASK) : text;
}

/** Every option and limit that an environment sets, and what the others default to. The environment must be one that `readConfig` takes. */
export function effectiveOptions(environment: Environment): EffectiveOption[] {
  const limits: Record<string, Option> = {};
  for (const [name, { env, default: usual, of }] of limitEntries()) {
    if (env !== null)
      limits[name] = { env: [env], kind: 'integer', default: String(usual), description: `Limit: ${of}.` };
  }
  return [...effectiveOf(OPTIONS, environment), ...effectiveOf(limits, environment)];
}

/** Options that are not what they are without being set, for the log line of a start. */
export function changedOptions(
  environment: Environment,
  list?: Readonly<Record<string, Option>>,
): Readonly<Record<string, string>> {
  const all = list ? effectiveOf(list, environment) : effectiveOptions(environment);
  const changed = all.filter(({ from }) => from.length > 0);
  return Object.fromEntries(changed.map(({ variable, value }) => [variable, value]));
}
