/** A person, without credentials. */
export interface Person {
  readonly id: number;
  readonly name: string | null;
  readonly email: string | null;
  readonly username: string | null;
  /** The name of their root role. */
  readonly rootRole: string;
}

interface StatedPermission {
  readonly name: string;
  readonly environment?: string;
}

/** A custom role. */
export interface MadeRole {
  readonly name: string;
  readonly description: string;
  readonly type: 'custom' | 'root-custom';
  readonly permissions: readonly StatedPermission[];
}

export interface PeopleGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly mappingsSSO: readonly string[];
  /** The name of a role. */
  readonly rootRole: string | null;
  /** Ids of people in the source. */
  readonly members: readonly number[];
}

/** Roles of a person or a group in a project, by name. */
export interface PeopleAccess {
  readonly project: string;
  readonly kind: 'user' | 'group';
  /** The id in the source. */
  readonly holder: number;
  readonly roles: readonly string[];
}

export interface People {
  readonly users: Person[];
  readonly roles: MadeRole[];
  readonly groups: PeopleGroup[];
  readonly access: PeopleAccess[];
}

export function nobody(): People {
  return { users: [], roles: [], groups: [], access: [] };
}

/** The name of a person in messages: their email, or their username. */
export function nameOfPerson({ email, username, name }: Pick<Person, 'email' | 'username' | 'name'>): string {
  return email ?? username ?? name ?? '';
}
