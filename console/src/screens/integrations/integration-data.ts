import type { components } from '../../api/schema.d.ts';
import { api, read, stated, type Writing, write } from '../../data/client.ts';
import { Failure } from '../../data/failure.ts';
import { ifSame } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';
import { withSecrets } from '../../data/sending.ts';
import { fieldSentences } from '../../parts/differences.ts';
import { integrations as words } from '../../words/en/admin/integrations.ts';
import { parts } from '../../words/en/parts.ts';

export type Integration = components['schemas']['addonSchema'];
export type Provider = components['schemas']['addonTypeSchema'];
export type Parameter = components['schemas']['addonParameterSchema'];
export type Attempt = components['schemas']['integrationEventSchema'];
export type DeliveryState = Integration['delivery']['state'];

/** The server answers it instead of a secret, and takes it for "keep the stored value". */
export const MASK = '*****';
/** In a filter: all. The console sends an empty list instead. */
const ALL = '*';

export const integrationsQuery = {
  queryKey: keys.integrations,
  queryFn: () => read(api.GET('/api/admin/addons')),
} as const;

const readOne = (id: number) =>
  read(api.GET('/api/admin/addons/{id}', { params: { path: { id } }, cache: 'no-store' }));

/** No commit that the stream of changes shows says how far the events came. */
const READ_EVERY_MS = 3_000;
const LIST_EVERY_MS = 10_000;

export const deliveriesQuery = { ...integrationsQuery, staleTime: 0, refetchInterval: LIST_EVERY_MS } as const;

export const integrationQuery = (id: number) =>
  ({
    queryKey: keys.integration(id),
    queryFn: () => readOne(id),
    refetchInterval: ({ state: { error } }: { readonly state: { readonly error: Error | null } }) =>
      error instanceof Failure && error.status === 404 ? (false as const) : READ_EVERY_MS,
    staleTime: 0,
  }) as const;

/** An attempt comes with its event, which may be long: a part of them is read first. */
export const ATTEMPTS_FIRST = 20;
export const ATTEMPTS_MAX = 100;

/** They are read again when the delivery says that there was another attempt. */
export const attemptsQuery = (
  id: number,
  limit: number,
  { delivered, nextAttemptAt, state }: Integration['delivery'],
) =>
  ({
    queryKey: keys.integration(id, 'attempts', limit, delivered, nextAttemptAt, state),
    queryFn: async () =>
      (await read(api.GET('/api/admin/addons/{id}/events', { params: { path: { id }, query: { limit } } })))
        .integrationEvents,
  }) as const;

export interface IntegrationValues {
  readonly description: string;
  readonly enabled: boolean;
  readonly events: readonly string[];
  /** Empty: all. */
  readonly projects: readonly string[];
  readonly environments: readonly string[];
  /** By name. `MASK`: the stored secret is kept. */
  readonly parameters: Readonly<Record<string, string>>;
}

export const EMPTY: IntegrationValues = {
  description: '',
  enabled: true,
  events: [],
  projects: [],
  environments: [],
  parameters: {},
};

const withoutAll = (names: readonly string[]) => (names.includes(ALL) ? [] : names);

export function valuesOf({
  description,
  enabled,
  events,
  projects,
  environments,
  parameters,
}: Integration): IntegrationValues {
  return {
    description: description ?? '',
    enabled,
    events,
    parameters,
    projects: withoutAll(projects),
    environments: withoutAll(environments),
  };
}

const bodyOf = (provider: string, values: IntegrationValues) => ({
  provider,
  description: values.description.trim() || null,
  enabled: values.enabled,
  events: [...values.events],
  projects: [...values.projects],
  environments: [...values.environments],
  parameters: Object.fromEntries(Object.entries(values.parameters).filter(([, value]) => value.trim() !== '')),
});

const secretsOf = ({ parameters }: Provider) => parameters.filter(({ sensitive }) => sensitive).map(({ name }) => name);

/** The values as they can be kept in the browser: their secrets are those of `base`. */
export function withoutSecrets(
  values: IntegrationValues,
  base: IntegrationValues,
  provider: Provider,
): IntegrationValues {
  const stored = secretsOf(provider).map((name) => [name, base.parameters[name] ?? ''] as const);
  return { ...values, parameters: { ...values.parameters, ...Object.fromEntries(stored) } };
}

export const createIntegration = (provider: Provider, values: IntegrationValues): Writing<Integration> =>
  write(withSecrets(api.POST('/api/admin/addons', { body: bodyOf(provider.name, values) }), secretsOf(provider)));

/** On condition that the integration is as it was when `base` was read. */
export const saveIntegration = (
  id: number,
  provider: Provider,
  base: IntegrationValues,
  values: IntegrationValues,
  reason: string,
): Writing<Integration> =>
  ifSame(
    async () => valuesOf(await readOne(id)),
    base,
    () => {
      const options = {
        params: { path: { id } },
        headers: stated({ reason }),
        body: bodyOf(provider.name, values),
      };
      return write(withSecrets(api.PUT('/api/admin/addons/{id}', options), secretsOf(provider)));
    },
  );

export const deleteIntegration = (id: number, reason: string): Writing<unknown> =>
  write<unknown>(api.DELETE('/api/admin/addons/{id}', { params: { path: { id } }, headers: stated({ reason }) }));

/** What an integration is called: its description, or what it sends to. */
export function nameOf(
  { description, provider }: Pick<Integration, 'description' | 'provider'>,
  providers: readonly Provider[],
) {
  return description?.trim() || providerName(provider, providers);
}

export const providerName = (name: string, providers: readonly Provider[]) =>
  providers.find((one) => one.name === name)?.displayName ?? name;

export const urlProblem = ({ type }: Parameter, value: string) =>
  type === 'url' && value !== '' && value !== MASK && !/^https?:\/\/[^/]/i.test(value.trim())
    ? words.urlWrong
    : undefined;

export function problemOf({ parameters }: Provider, values: IntegrationValues): string | undefined {
  const missing = parameters.find(({ name, required }) => required && !values.parameters[name]?.trim());
  if (missing) return parts.fieldMissing(missing.displayName);
  if (parameters.some((one) => urlProblem(one, values.parameters[one.name] ?? ''))) return words.urlWrong;
  return values.events.length === 0 ? words.eventsMissing : undefined;
}

const NAMES = {
  description: words.description,
  enabled: words.enabled,
  events: words.events,
  projects: words.projects,
  environments: words.environments,
} as const;

/** A secret in a sentence: whether it is set, kept or replaced, and never its value. */
function secretSentence(label: string, before: string, after: string): string[] {
  if (before === after) return [];
  if (after === '') return [words.secretRemoved(label)];
  return [before === '' ? words.secretSet(label) : words.secretChanged(label)];
}

/** All that differs, in sentences. */
export function sentencesOf({ parameters }: Provider, before: IntegrationValues, after: IntegrationValues): string[] {
  const sorted = (values: IntegrationValues) => ({ ...values, ...listsOf(values) });
  return [
    ...fieldSentences(sorted(before), sorted(after), NAMES),
    ...parameters.flatMap(({ name, displayName, sensitive }) => {
      const [old, now] = [before.parameters[name] ?? '', after.parameters[name] ?? ''];
      return sensitive
        ? secretSentence(displayName, old, now)
        : fieldSentences({ [name]: old }, { [name]: now }, { [name]: displayName });
    }),
  ];
}

/** The order of the names has no meaning. */
const listsOf = ({ events, projects, environments }: IntegrationValues) => ({
  events: [...events].sort(),
  projects: [...projects].sort(),
  environments: [...environments].sort(),
});
