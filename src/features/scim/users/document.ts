import { invalid, type Rejection } from '../../../base/rejection.ts';
import { validate } from '../../../base/validation.ts';
import type { ScimEmail, ScimUserFields } from '../../../model/scim.ts';
import { comparable, Email, PersonName, type User, Username } from '../../../model/user.ts';
import type { Doc } from '../protocol/matching.ts';
import { invalidScim } from '../protocol/protocol.ts';

/** What an identity provider can write about a user, as Burgee stores it. */
export interface UserFields {
  readonly username: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly isActive: boolean;
  readonly scim: ScimUserFields;
}

/** The attributes of a user that an identity provider writes, and those that filters use. */
export function userDocument(user: User): Doc {
  const { id, username, email, scim, createdAt, deactivatedAt } = user;
  const { externalId } = scim ?? {};
  const emails = emailsOf(user);
  const displayName = displayNameOf(user);
  const name = namePartsOf(user);
  return {
    id: String(id),
    ...(externalId !== undefined && { externalId }),
    userName: username ?? email,
    ...(name && { name }),
    ...(displayName !== undefined && { displayName }),
    active: deactivatedAt === undefined,
    ...(emails.length > 0 && { emails }),
    meta: { resourceType: 'User', created: createdAt },
  };
}

/** Whether an admin or the user has changed the name that the identity provider stated. */
function isRenamed({ name, scim }: User): boolean {
  return scim === undefined || scim.derivedName !== name;
}

function displayNameOf(user: User): string | undefined {
  return isRenamed(user) ? (user.name ?? undefined) : user.scim?.displayName;
}

function namePartsOf(user: User): Doc | undefined {
  if (isRenamed(user)) return user.name === null ? undefined : { formatted: user.name };
  const { formatted, givenName, familyName } = user.scim ?? {};
  if (formatted === undefined && givenName === undefined && familyName === undefined) return undefined;
  return {
    ...(formatted !== undefined && { formatted }),
    ...(givenName !== undefined && { givenName }),
    ...(familyName !== undefined && { familyName }),
  };
}

/**
 * The emails that were stated. An email that only follows from the `userName` is not one of them: it must follow the next `userName`, too. An email
 * that an admin has changed comes first.
 */
function emailsOf({ username, email, scim }: User): readonly ScimEmail[] {
  const stated = scim?.emails ?? [];
  if (email === null || stated.some(({ value }) => comparable(value) === comparable(email))) return stated;
  const isFromUserName = scim !== undefined && stated.length === 0 && comparable(username ?? '') === comparable(email);
  if (isFromUserName) return [];
  return [{ value: email, type: 'work', primary: true }, ...stated.map((one) => ({ ...one, primary: false }))];
}

/** The fields that a document states; a rejection if Burgee cannot store one of them. */
export function userFields(doc: Doc): UserFields | Rejection {
  const { userName, externalId, displayName, active } = doc as Partial<Record<string, string & boolean>>;
  const { formatted, givenName, familyName } = (doc.name ?? {}) as Partial<Record<string, string>>;
  const sent = (doc.emails ?? []) as readonly Partial<ScimEmail>[];
  const emails = sent.flatMap(statedEmail);
  if (userName === undefined) return invalidScim('invalidValue', 'A user needs a userName.');
  const name = displayName ?? formatted ?? ([givenName, familyName].filter((part) => part).join(' ') || null);
  const email = mainEmail(emails) ?? (validate(Email, userName, 'userName') ? null : userName);
  const problem =
    validate(Username, userName, 'userName') ??
    (email === null ? undefined : validate(Email, email, 'emails')) ??
    (name === null ? undefined : validate(PersonName, name, 'displayName'));
  if (problem) return invalid(problem.message);
  const scim: ScimUserFields = {
    derivedName: name?.trim() || null,
    ...(externalId !== undefined && { externalId }),
    ...(displayName !== undefined && { displayName }),
    ...(formatted !== undefined && { formatted }),
    ...(givenName !== undefined && { givenName }),
    ...(familyName !== undefined && { familyName }),
    ...(emails.length > 0 && { emails }),
  };
  return { username: userName, email, name: scim.derivedName, isActive: active !== false, scim };
}

function mainEmail(emails: readonly ScimEmail[]): string | undefined {
  const main = emails.find(({ primary }) => primary) ?? emails.find(({ type }) => type === 'work') ?? emails[0];
  return main?.value;
}

/** The properties that Burgee stores; nothing if the address was removed. */
function statedEmail({ value, type, primary }: Partial<ScimEmail>): ScimEmail[] {
  if (value === undefined) return [];
  return [{ value, ...(type !== undefined && { type }), ...(primary !== undefined && { primary }) }];
}
