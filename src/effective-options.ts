import { OPTIONS } from './config.ts';
import { LIMITS } from './model/limits.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** One option as this process has it. */
export interface EffectiveOption {
  /** The variable that sets it: the one that did, else the first of those that may. */
  readonly variable: string;
  /** As text; of a secret, whether there is one. */
  readonly value: string;
  /** Variables whose text it is; none when it is the default. */
  readonly from: readonly string[];
  readonly description: string;
}

/** Shown in the place of a secret that is set. */
export const MASK = '***';

/** Every option and limit that an environment sets, and what the others default to. The environment must be one that `readConfig` takes. */
export function effectiveOptions(environment: Environment): EffectiveOption[] {
  const effective: EffectiveOption[] = [];
  const add = (env: readonly string[], usual: string, description: string, isList: boolean, isSecret: boolean) => {
    const found = env.filter((name) => (environment[name] ?? '') !== '');
    const from = isList ? found : found.slice(0, 1);
    const text = from.length > 0 ? from.map((name) => environment[name]).join(',') : usual;
    const value = isSecret && text !== '' ? MASK : text;
    effective.push({ variable: from[0] ?? env[0] ?? '', value, from, description });
  };
  for (const option of Object.values(OPTIONS)) {
    add(option.env, option.default, option.description, option.kind === 'list', 'secret' in option);
  }
  for (const { env, default: usual, of } of Object.values(LIMITS)) {
    if (env !== null) add([env], String(usual), `Limit: ${of}.`, false, false);
  }
  return effective;
}

/** Options that are not what they are without being set, for the line that tells of a start. */
export function changedOptions(environment: Environment): Readonly<Record<string, string>> {
  const changed = effectiveOptions(environment).filter(({ from }) => from.length > 0);
  return Object.fromEntries(changed.map(({ variable, value }) => [variable, value]));
}
