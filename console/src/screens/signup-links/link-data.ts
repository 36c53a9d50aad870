import type { components } from '../../api/schema.d.ts';
import { api, read, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';

export type SignupLink = components['schemas']['publicSignupToken'];

export const linksQuery = {
  queryKey: keys.signupLinks,
  queryFn: async () => (await read(api.GET('/api/admin/invite-link/tokens'))).tokens,
} as const;

export const stateOf = ({ enabled, expiresAt }: SignupLink, now: number) =>
  Date.parse(expiresAt) <= now ? 'expired' : enabled ? 'on' : 'off';

export const createLink = (name: string, expiresAt: string) =>
  write(api.POST('/api/admin/invite-link/tokens', { body: { name, expiresAt } }));

export const saveLink = (
  secret: string,
  changes: { readonly enabled?: boolean; readonly expiresAt?: string },
  reason: string,
) =>
  write(
    api.PUT('/api/admin/invite-link/tokens/{token}', {
      params: { path: { token: secret } },
      headers: stated({ reason }),
      body: changes,
    }),
  );

/** The day in the time zone of the browser, as an input of type `date` has it. */
export function dayOf(at: string): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
