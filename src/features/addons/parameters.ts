import { invalid, Rejection } from '../../base/rejection.ts';
import { SEALING_KEY_LENGTH_MIN, type Sealer } from '../../base/sealing.ts';
import type { Addon, StoredParameter } from './addon.ts';
import { ADDON_LIMITS } from './limits.ts';
import { commonProblem } from './providers/fields.ts';
import type { ParameterDefinition, Parameters, Provider } from './providers/provider.ts';

/** Returned instead of a secret, as Unleash does. In a request it means: keep the stored secret. */
export const MASK = '*****';

export type StoredParameters = Addon['parameters'];

/** The parameters of a request: Unleash's tools also send numbers and booleans. */
type GivenParameters = Readonly<Record<string, unknown>>;

const NO_KEY =
  'The secrets of an integration cannot be stored: they are encrypted with SECRETS_KEY, which is not set. Set SECRETS_KEY to a random text of at ' +
  `least ${SEALING_KEY_LENGTH_MIN} characters, the same on every replica.`;

const OTHER_KEY = 'was sealed with another SECRETS_KEY, or SECRETS_KEY is not set. Enter it again.';

/** The purpose to which a sealed parameter is bound, so that it cannot be opened as another one. */
function purposeOf({ name: provider }: Provider, parameter: string): string {
  return `addon/${provider}/${parameter}`;
}

/**
 * The parameters of a request as they are stored, or a rejection. A mask keeps the secret of `before`. A parameter that is missing or empty is not set.
 */
export function storedParameters(
  provider: Provider,
  given: GivenParameters,
  before: StoredParameters,
  sealer: Sealer | null,
): StoredParameters | Rejection {
  const texts = givenTexts(provider, given);
  if (texts instanceof Rejection) return texts;
  const opened = new Map<string, string>();
  const stored: Record<string, StoredParameter> = {};
  const kept: string[] = [];
  for (const definition of provider.parameters) {
    const { name, sensitive } = definition;
    const text = texts.get(name);
    if (text === undefined) continue;
    if (sensitive && text === MASK) {
      const value = openedParameter(provider, definition, before, sealer);
      if (value instanceof Rejection) return value;
      if (value === undefined) continue;
      opened.set(name, value);
      stored[name] = before[name] as StoredParameter;
      kept.push(name);
      continue;
    }
    opened.set(name, text);
    if (sensitive && !sealer) return invalid(NO_KEY, `/parameters/${name}`);
    stored[name] = sensitive && sealer ? { sealed: sealer.seal(text, purposeOf(provider, name)) } : { plain: text };
  }
  return parametersProblem(provider, opened) ?? movedSecretProblem(provider, opened, before, kept, sealer) ?? stored;
}

/** The parameters of an integration of another instance that can be stored here: the provider has them, they are no secrets, and each is valid. */
export function plainParameters(provider: Provider, given: Readonly<Record<string, string>>): StoredParameters {
  const stored: Record<string, StoredParameter> = {};
  for (const definition of provider.parameters) {
    const text = Object.hasOwn(given, definition.name) ? given[definition.name] : undefined;
    if (definition.sensitive || !text || text.length > ADDON_LIMITS.addonParameterLength.max) continue;
    if (commonProblem([definition], new Map([[definition.name, text]]))) continue;
    stored[definition.name] = { plain: text };
  }
  return stored;
}

function givenTexts(provider: Provider, given: GivenParameters): ReadonlyMap<string, string> | Rejection {
  const texts = new Map<string, string>();
  const known = new Set(provider.parameters.map(({ name }) => name));
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === '') continue;
    const path = `/parameters/${name.slice(0, 100)}`;
    if (!known.has(name)) return invalid(`${provider.displayName} has the parameters ${[...known].join(', ')}.`, path);
    if (typeof value === 'object') return invalid(`The parameter ${name} must be a text.`, path);
    const text = String(value);
    const { max } = ADDON_LIMITS.addonParameterLength;
    if (text.length > max) return invalid(`The parameter ${name} has more than ${max} characters.`, path);
    texts.set(name, text);
  }
  return texts;
}

function parametersProblem(provider: Provider, opened: Parameters): Rejection | undefined {
  const problem = commonProblem(provider.parameters, opened) ?? provider.problem?.(opened);
  return problem && invalid(problem.message, `/parameters/${problem.name}`);
}

/**
 * A rejection if secrets would be kept for another host than the one for which they were entered: a person who may change the address could
 * read them there.
 */
function movedSecretProblem(
  provider: Provider,
  opened: Parameters,
  before: StoredParameters,
  kept: readonly string[],
  sealer: Sealer | null,
): Rejection | undefined {
  for (const definition of provider.parameters) {
    const { name, type } = definition;
    if (type !== 'url' || kept.includes(name) || kept.length === 0) continue;
    const old = openedParameter(provider, definition, before, sealer);
    if (old instanceof Rejection) return old;
    if (originOf(old) === originOf(opened.get(name))) continue;
    return invalid(
      `The request changes the host of ${name} and keeps ${kept.join(', ')}: enter these secrets again for the new host.`,
      `/parameters/${kept[0]}`,
    );
  }
  return undefined;
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined || !URL.canParse(url) ? undefined : new URL(url).origin;
}

function openedParameter(
  provider: Provider,
  { name }: ParameterDefinition,
  stored: StoredParameters,
  sealer: Sealer | null,
): string | undefined | Rejection {
  const value = Object.hasOwn(stored, name) ? stored[name] : undefined;
  if (value === undefined) return undefined;
  if ('plain' in value) return value.plain;
  return (
    sealer?.open(value.sealed, purposeOf(provider, name)) ?? invalid(`${name} ${OTHER_KEY}`, `/parameters/${name}`)
  );
}

/** The parameters with which events are sent, or why they cannot be opened. */
export function openedParameters(
  provider: Provider,
  stored: StoredParameters,
  sealer: Sealer | null,
): Parameters | Rejection {
  const opened = new Map<string, string>();
  for (const definition of provider.parameters) {
    const value = openedParameter(provider, definition, stored, sealer);
    if (value instanceof Rejection) return value;
    if (value !== undefined) opened.set(definition.name, value);
  }
  return opened;
}

/** The parameters as answers and events show them. */
export function maskedParameters(stored: StoredParameters): Readonly<Record<string, string>> {
  const masked = Object.entries(stored).map(([name, value]) => [name, 'plain' in value ? value.plain : MASK]);
  return Object.fromEntries(masked);
}
