import type { components } from '../../api/schema.d.ts';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';

type Schemas = components['schemas'];
export type Answer = Schemas['advancedPlaygroundResponse'];
export type Flag = Schemas['advancedPlaygroundFeature'];
export type Result = NonNullable<Flag['environments'][string]>[number];
export type Strategy = Schemas['playgroundStrategy'];

export interface ContextRow {
  readonly field: string;
  readonly values: string;
}

export interface Input {
  readonly environments: readonly string[];
  /** Empty: all. */
  readonly projects: readonly string[];
  readonly context: readonly ContextRow[];
}

/** Fields that are not properties of the context. */
export const ROOT_FIELDS = ['userId', 'sessionId', 'remoteAddress', 'currentTime'] as const;
const isRoot = (field: string): boolean => (ROOT_FIELDS as readonly string[]).includes(field);

/** The context in the address: a query of its own. */
export const contextText = (rows: readonly ContextRow[]) =>
  new URLSearchParams(rows.filter(({ field }) => field !== '').map(({ field, values }) => [field, values])).toString();
export const contextOf = (text: string): ContextRow[] =>
  [...new URLSearchParams(text)].map(([field, values]) => ({ field, values }));

export function requestOf({ environments, projects, context }: Input): Schemas['advancedPlaygroundRequest'] {
  const filled = context.filter(({ field, values }) => field !== '' && values.trim() !== '');
  const root = Object.fromEntries(
    filled.filter(({ field }) => isRoot(field)).map(({ field, values }) => [field, values.trim()]),
  );
  const properties = Object.fromEntries(
    filled
      .filter(({ field }) => !isRoot(field) && field !== 'appName')
      .map(({ field, values }) => [field, values.trim()]),
  );
  const appName = filled.find(({ field }) => field === 'appName')?.values.trim() ?? 'playground';
  return {
    environments: [...environments],
    ...(projects.length > 0 && { projects: [...projects] }),
    context: { appName, ...root, ...(Object.keys(properties).length > 0 && { properties }) },
  };
}

/** Another input is another query: an error of it shows no results of the input before. */
export const resultsQuery = (input: Input) =>
  ({
    queryKey: keys.own('playground', requestOf(input)),
    queryFn: () => read(api.POST('/api/admin/playground/advanced', { body: requestOf(input) })),
    retry: false,
    staleTime: 0,
  }) as const;

export const resultsOf = (flag: Flag): readonly Result[] => Object.values(flag.environments).flat();
export const isMixed = (flag: Flag) =>
  new Set(resultsOf(flag).map(({ isEnabled, variant }) => `${isEnabled} ${isEnabled ? variant?.name : ''}`)).size > 1;

export function contextPairs({ context }: Result): string {
  const { appName: _, properties = {}, ...root } = context;
  return Object.entries({ ...root, ...properties })
    .filter(([name]) => name !== 'environment')
    .map(([name, value]) => `${name} = ${String(value)}`)
    .join(', ');
}
