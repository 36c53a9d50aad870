import { randomBytes, scryptSync } from 'node:crypto';
import { encodePasswordHash } from '../../src/features/people/passwords/password.ts';
import { SESSION_COOKIE } from '../../src/http/session-cookie.ts';
import { hashedSecret } from '../../src/model/token-secret.ts';
import type { User } from '../../src/model/user.ts';
import { user } from '../access/people.ts';
import { prepare } from './admin.ts';
import { CHEAP } from './password-cost.ts';
import type { TestService } from './service.ts';

const AT = '2026-01-01T00:00:00.000Z';
const FOREVER = '2100-01-01T00:00:00.000Z';

/** A password that is strong enough. */
export const PASSWORD = 'Correct-Horse-9';

/** The stored hash of the password, made with the cost of `CHEAP`: the check of the password works the same way. */
export function cheapHash(password: string): string {
  const salt = Buffer.from('some salt');
  return encodePasswordHash({ cost: CHEAP, salt, key: scryptSync(password.normalize('NFKC'), salt, 32, CHEAP) });
}

/** Puts a user into the state without the routes; with `PASSWORD`, unless `rest` has another hash. */
export async function putUser(service: TestService, id: number, rest: Partial<User> = {}): Promise<User> {
  const made = user(id, { passwordHash: cheapHash(PASSWORD), ...rest });
  await prepare(service, (draft) => {
    draft.put('users', made);
    const known = draft.get('counters', 'users')?.value ?? 0;
    draft.put('counters', { value: Math.max(known, id) }, 'users');
  });
  return made;
}

/** Headers of a request by a browser in which the user is signed on. A page of this origin sends it, unless `site` is set. */
export async function browserOf(
  service: TestService,
  userId: number,
  { site = 'same-origin', expiresAt = FOREVER }: { site?: string | null; expiresAt?: string } = {},
): Promise<Record<string, string>> {
  const text = randomBytes(32).toString('base64url');
  await prepare(service, (draft) =>
    draft.put('sessions', { secret: hashedSecret(text), userId, createdAt: AT, expiresAt, userAgent: 'test' }),
  );
  return { cookie: `${SESSION_COOKIE}=${text}`, ...(site === null ? {} : { 'sec-fetch-site': site }) };
}

/** Creates a personal token of the user, or of a service account, and returns its text. */
export async function personalTokenOf(service: TestService, userId: number, expiresAt = FOREVER): Promise<string> {
  const text = `user:${randomBytes(28).toString('hex')}`;
  await prepare(service, (draft) => {
    const id = draft.next('personalTokens');
    const rest = { description: `token ${id}`, createdAt: AT, seenAt: null };
    draft.put('personalTokens', { secret: hashedSecret(text), id, userId, expiresAt, ...rest });
  });
  return text;
}

/** The headers that the browser sends after this answer: its cookie, from a page of this origin. */
export function browserFrom(headers: Headers): Record<string, string> {
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, 'sec-fetch-site': 'same-origin' };
}
