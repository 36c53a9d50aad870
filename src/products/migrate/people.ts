/** A person, without credentials. */
export interface Person {
  readonly id: number;
  readonly name: string | null;
  readonly email: string | null;
  readonly username: string | null;
  /** The name of the person's root role. */
  readonly rootRole: string;
}

interface RolePermission {
  readonly name: string;
  readonly environment?: string;
}

/** A custom role. */
export interface CustomRole {
  readonly name: string;
  readonly description: string;
  readonly type: 'custom' | 'root-custom';
  readonly permissions: readonly RolePermission[];
}

export interface PeopleGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly mappingsSSO: readonly string[];
  /** The name of the group's root role. Null if the group has none. */
  readonly rootRole: string | null;
  /** The ids of the members in the source. */
  readonly members: readonly number[];
}

/** The names of the roles that a person or a group has in a project. */
export interface PeopleAccess {
  readonly project: string;
  readonly kind: 'user' | 'group';
  /** The id of the person or group in the source. */
  readonly holder: number;
  readonly roles: readonly string[];
}

export interface People {
  readonly users: Person[];
  readonly roles: CustomRole[];
  readonly groups: PeopleGroup[];
  readonly access: PeopleAccess[];
}

export function noPeople(): People {
  return { users: [], roles: [], groups: [], access: [] };
}

/** The name of a person in messages: the email or, if there is none, the username or, if there is none, the name. */
export function nameOfPerson({ email, username, name }: Pick<Person, 'email' | 'username' | 'name'>): string {
  return email ?? username ?? name ?? '';
}
