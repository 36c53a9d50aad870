import { expect, it } from 'vitest';
import { Passwords } from '../../../src/features/sign-on/passwords/hashing.ts';
import { PASSWORD } from '../../support/people.ts';

// Test services use cheaper hashes.
it('passwords are hashed at the full cost, each with a different salt', async () => {
  const passwords = new Passwords();
  const kept = await Promise.all([passwords.hash(PASSWORD), passwords.hash(PASSWORD)]);
  for (const hash of kept) expect(hash).toMatch(/^scrypt\$16384\$8\$5\$[\w-]{22}\$[\w-]{43}$/);
  expect(new Set(kept).size).toBe(2);
  expect(await passwords.matches(PASSWORD, String(kept[0]))).toBe(true);
  expect(await passwords.matches(`${PASSWORD}x`, String(kept[0]))).toBe(false);
  expect(await passwords.matches(PASSWORD, null)).toBe(false);
});
