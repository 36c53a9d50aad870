import { SCIM_SETTINGS } from '../model/scim.ts';
import type { StateReader } from '../state/collections.ts';

/** Whether an identity provider may manage users and groups. It is off until an admin creates a token. */
export function isScimOn(reader: StateReader): boolean {
  return reader.get('scimSettings', SCIM_SETTINGS)?.enabled === true;
}
