import { authorOf } from '../../model/user.ts';
import type { StateReader } from '../../state/collections.ts';
import type { PartName } from '../../state/past.ts';

/** An entity at the moment of a change; undefined if it did not exist. */
export type ReadAt = (collection: 'groups', key: string) => object | undefined;

/** Maximum length of the name of something that has only a text. */
const TEXT_MAX = 60;

/**
 * The name by which people know an entity whose id is a number: of a member of a group also the name of the group, of access to a project the name of
 * the user or group. Null for entities that people know by their ids, and for users and groups that are gone.
 */
export function nameOf({ collection, key }: PartName, value: object, users: StateReader, at: ReadAt): string | null {
  const { name, message, holder } = value as Named;
  const [first = '', second = ''] = key.split(':');
  const user = (id: string) => {
    const found = users.get('users', id);
    return found ? authorOf(found).name : null;
  };
  const group = (id: string) => (at('groups', id) as Named | undefined)?.name ?? null;
  switch (collection) {
    case 'projects':
    case 'segments':
    case 'roles':
    case 'groups':
      return name ?? null;
    case 'banners':
      return message === undefined ? null : message.length > TEXT_MAX ? `${message.slice(0, TEXT_MAX)}…` : message;
    case 'groupMembers':
      return `${user(second) ?? `#${second}`} in ${group(first) ?? `#${first}`}`;
    case 'projectRoles':
      return holder === 'group' ? group(second) : user(second);
    default:
      return null;
  }
}

interface Named {
  readonly name?: string;
  readonly message?: string;
  readonly holder?: string;
}
