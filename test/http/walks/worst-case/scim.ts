import type { Api } from './api.ts';
import type { Shape } from './largest-value.ts';

const ADMIN = '/api/admin';
const SCIM = '/scim/v2';

/** Members of the largest group: as many as a body of one request can state. */
const MEMBERS = 500;

const EMAILS = ['work', 'home', 'other'];

/** The longest filter with the highest number of comparisons. No index has the attribute, so all users are compared. */
const FILTER = Array.from({ length: 20 }, (_, index) => `displayName co "${'x'.repeat(10)}${index}"`).join(' or ');

/** Creates the token of the identity provider, which replaces an earlier one. */
export async function scimToken(api: Api): Promise<Readonly<Record<string, string>>> {
  const path = `${ADMIN}/scim-settings/generate-new-token`;
  const { token } = (await api.accepted({ method: 'POST', path })) as { token: string };
  api.scimToken = `Bearer ${token}`;
  return {};
}

export async function scimUser(api: Api, attempt: string | number): Promise<Readonly<Record<string, string>>> {
  await scimToken(api);
  const body = { userName: `own-scim-${attempt}` };
  const { id } = (await api.accepted({ method: 'POST', path: `${SCIM}/Users`, body })) as { id: string };
  return { id, attempt: String(attempt) };
}

/** A group with many members. `users`: the ids of its members. */
export async function scimGroup(api: Api, attempt: string | number): Promise<Readonly<Record<string, string>>> {
  const users = await scimMembers(api, attempt);
  const members = (users.users ?? '').split(',').map((value) => ({ value }));
  const body = { displayName: `own-scim-${attempt}`, members };
  const { id } = (await api.accepted({ method: 'POST', path: `${SCIM}/Groups`, body })) as { id: string };
  return { ...users, id };
}

export async function scimMembers(api: Api, attempt: string | number): Promise<Readonly<Record<string, string>>> {
  await scimToken(api);
  const query = `count=200&attributes=id&filter=${encodeURIComponent('userName sw "own-"')}`;
  const ids: string[] = [];
  for (let startIndex = 1; ids.length < MEMBERS; startIndex += 200) {
    const path = `${SCIM}/Users?startIndex=${startIndex}&${query}`;
    const { Resources } = (await api.accepted({ method: 'GET', path })) as { Resources: { id: string }[] };
    if (Resources.length === 0) break;
    for (const { id } of Resources) ids.push(id);
  }
  if (ids.length === 0) ids.push((await scimUser(api, `${attempt}-member`)).id ?? '');
  return { users: ids.slice(0, MEMBERS).join(','), attempt: String(attempt) };
}

/** The largest legal body of an operation of SCIM, or its most expensive query; undefined if the schema decides. */
export function scimWord(
  operationId: string,
  path: readonly string[],
  { attempt, mode }: Shape,
  own: Readonly<Record<string, string>>,
): unknown {
  const last = path.at(-1);
  if (last === 'filter') return /Schemas|ResourceTypes/.test(operationId) ? undefined : FILTER;
  if (last === 'sortBy') return 'displayName';
  if (last === 'defaultRootRole') return 3;
  if (last === 'enabled') return true;
  if (path.length > 0) return undefined;
  if (/ScimUser$/.test(operationId)) return operationId === 'patchScimUser' ? userPatch(mode) : largestUser(attempt);
  if (!/ScimGroup$/.test(operationId)) return undefined;
  const members = (own.users ?? '').split(',').map((value) => ({ value }));
  if (operationId === 'patchScimGroup') return groupPatch(members, mode);
  return { displayName: `new-scim-${attempt}`, externalId: 'e'.repeat(500), members };
}

function largestUser(attempt: number | string) {
  return {
    userName: `new-scim-${attempt}`,
    externalId: 'e'.repeat(500),
    displayName: 'd'.repeat(255),
    name: { formatted: 'f'.repeat(500), givenName: 'g'.repeat(500), familyName: 'n'.repeat(500) },
    emails: Array.from({ length: 10 }, (_, index) => ({
      value: `${'a'.repeat(200)}${attempt}-${index}@example.com`,
      type: EMAILS[index % EMAILS.length],
    })),
    active: true,
  };
}

function userPatch(mode: Shape['mode']) {
  const path = mode === 'many' ? 'name.givenName' : `emails[${'type eq "work" and '.repeat(18)}type eq "work"].type`;
  const operation = { op: 'replace', path, value: mode === 'many' ? 'Ada' : 'work' };
  return { schemas: [], Operations: Array.from({ length: 1_000 }, () => operation) };
}

function groupPatch(members: readonly { readonly value: string }[], mode: Shape['mode']) {
  const one = members.flatMap(({ value }) => [
    { op: 'remove', path: `members[value eq "${value}"]` },
    { op: 'add', path: 'members', value: [{ value }] },
  ]);
  const all = [
    { op: 'replace', path: 'members', value: [] },
    { op: 'add', path: 'members', value: members },
  ];
  return { schemas: [], Operations: mode === 'many' ? one : all };
}
