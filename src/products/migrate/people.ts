/** A person, without whatever lets them in. */
export interface Person {
  readonly id: number;
  readonly name: string | null;
  readonly email: string | null;
  readonly username: string | null;
  /** The name of their role in the whole instance. */
  readonly rootRole: string;
}

interface StatedPermission {
  readonly name: string;
  readonly environment?: string;
}

/** A role that people made. */
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
  /** Ids of people there. */
  readonly members: readonly number[];
}

/** Roles of a person or a group in a project, by name. */
export interface PeopleAccess {
  readonly project: string;
  readonly kind: 'user' | 'group';
  /** The id there. */
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

/** What people are called: their email, or their username. */
export function nameOfPerson({ email, username, name }: Pick<Person, 'email' | 'username' | 'name'>): string {
  return email ?? username ?? name ?? '';
}
