import { type Environment, MASK, type Option } from '../base/options.ts';
import { withoutCredentials } from '../base/without-credentials.ts';
import { OPTIONS } from '../config.ts';
import { limitEntries } from '../model/limits.ts';

/** One option and its value in this process. */
export interface EffectiveOption {
  /** The variable that sets the option. If no variable sets it: the first variable that could set it. */
  readonly variable: string;
  /** The value as text. A secret is masked, and an address is shown without the user name and password. */
  readonly value: string;
  /** The variables that contain the value; empty if the option has its default. */
  readonly from: readonly string[];
  readonly description: string;
}

/** The value of every option in a list: from the environment, otherwise the default. The environment must be valid for `readOptions`. */
export function effectiveOf(list: Readonly<Record<string, Option>>, environment: Environment): EffectiveOption[] {
  return Object.values(list).map((option) => {
    const setVariables = option.env.filter((name) => (environment[name] ?? '') !== '');
    const from = option.kind === 'list' ? setVariables : setVariables.slice(0, 1);
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

/** The value of every option and limit: from the environment, otherwise the default. The environment must be valid for `readConfig`. */
export function effectiveOptions(environment: Environment): EffectiveOption[] {
  const limits: Record<string, Option> = {};
  for (const [name, { env, default: defaultValue, of }] of limitEntries()) {
    if (env !== null)
      limits[name] = { env: [env], kind: 'integer', default: String(defaultValue), description: `Limit: ${of}.` };
  }
  return [...effectiveOf(OPTIONS, environment), ...effectiveOf(limits, environment)];
}

/** The options that the environment sets, by variable, for the log message at the start. */
export function changedOptions(
  environment: Environment,
  list?: Readonly<Record<string, Option>>,
): Readonly<Record<string, string>> {
  const all = list ? effectiveOf(list, environment) : effectiveOptions(environment);
  const changed = all.filter(({ from }) => from.length > 0);
  return Object.fromEntries(changed.map(({ variable, value }) => [variable, value]));
}
