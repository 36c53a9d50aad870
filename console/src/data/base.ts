import { BASE_PATH } from '../base-path.ts';

/** The address of this Burgee, as SDKs use it. */
export const publicUrl = (configured: string | undefined): string => {
  const here = `${location.origin}${BASE_PATH}`;
  // A configured address wins: SDKs may not reach the address that the browser uses. The default of the server names this machine only.
  return configured && !/^https?:\/\/(localhost|127\.0\.0\.1)/.test(configured) ? configured.replace(/\/$/, '') : here;
};
