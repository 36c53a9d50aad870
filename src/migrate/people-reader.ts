import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { list, object, text, textOrNull, whole } from './loose-json.ts';

/** Who there is, and which role they have in the whole instance. Passwords are told nobody. */
export async function readPeople(client: InstanceClient, { people }: Holdings): Promise<void> {
  const answer = object(await client.getIfThere('/api/admin/user-admin'));
  const roles = new Map(list(answer.rootRoles).map(({ id, name }) => [id, text(name)]));
  for (const { id, name, email, username, rootRole, accountType } of list(answer.users)) {
    if (accountType === 'Service Account') continue;
    people.push({
      id: whole(id, 0),
      ...{ name: textOrNull(name), email: textOrNull(email), username: textOrNull(username) },
      rootRole: roles.get(rootRole) ?? 'Viewer',
    });
  }
}
