import type { components } from '../../api/schema.d.ts';
import { api, stated, write } from '../../data/client.ts';

export type Environment = components['schemas']['environment'];

export const TYPES = ['development', 'test', 'preproduction', 'production'] as const;

/** The names of environments in another order, as sort orders. */
export const setOrder = (names: readonly string[]) =>
  write(
    api.PUT('/api/admin/environments/sort-order', {
      body: Object.fromEntries(names.map((name, index) => [name, (index + 1) * 100])),
    }),
  );

export const setEnabled = (name: string, on: boolean, reason = '') => {
  const options = { params: { path: { name } }, headers: stated({ reason }) };
  return on
    ? write(api.POST('/api/admin/environments/{name}/on', options))
    : write(api.POST('/api/admin/environments/{name}/off', options));
};
