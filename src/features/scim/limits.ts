import { fixed } from '../../model/limits.ts';

export const SCIM_LIMITS = {
  scimFilterLength: fixed('characters of a SCIM filter', 2_000),
  scimFilterDepth: fixed('brackets and `not` in a SCIM filter', 20),
  scimFilterTests: fixed('comparisons of a SCIM filter', 20),
  scimPageSize: fixed('users or groups of one SCIM answer', 200),
  scimEmails: fixed('emails of a user that an identity provider states', 10),
  scimOperations: fixed('operations of a SCIM PATCH', 1_000),
  scimUsersRemoved: fixed('users that one request to remove all SCIM users removes', 1_000),
};
