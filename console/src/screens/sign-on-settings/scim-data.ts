import type { components } from '../../api/schema.d.ts';
import { api, read, stated, type Writing, write } from '../../data/client.ts';
import { ifSame } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';

export type ScimSettings = components['schemas']['scimSettings'];

const readNow = () => read(api.GET('/api/admin/scim-settings', { cache: 'no-store' }));

export const scimQuery = { queryKey: keys.signOn('scim'), queryFn: readNow, retry: false } as const;

const PATH = '/api/admin/scim-settings';

/** On condition that the settings are as they were when `base` was read. */
export const saveScim = (
  base: ScimSettings,
  changes: Partial<Pick<ScimSettings, 'enabled' | 'defaultRootRole'>>,
  reason: string,
): Writing<unknown> =>
  ifSame(readNow, base, () => {
    const { enabled, defaultRootRole } = { ...base, ...changes };
    return write<unknown>(api.POST(PATH, { headers: stated({ reason }), body: { enabled, defaultRootRole } }));
  });

/** The answer has the token, only this time. */
export const makeToken = (reason: string) =>
  write(api.POST(`${PATH}/generate-new-token`, { headers: stated({ reason }) }));

export const deleteToken = (reason: string): Writing<unknown> =>
  write<unknown>(api.DELETE(`${PATH}/token`, { headers: stated({ reason }) }));

/** As many are deleted by one request. */
export const REMOVED_MAX = 1_000;

export const removeUsers = (reason: string): Writing<unknown> =>
  write<unknown>(api.DELETE('/api/admin/user-admin/scim-users', { headers: stated({ reason }) }));
