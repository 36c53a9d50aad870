import Type from 'typebox';

/** Minimum and maximum length, in characters. Shorter passwords are too weak. Longer ones are unrealistic, and expensive to check. */
const PASSWORD_LENGTH_MIN = 10;
export const PASSWORD_LENGTH_MAX = 1_000;

/** A password in a request. Its strength is checked separately. */
export const Password = Type.String({ maxLength: PASSWORD_LENGTH_MAX });

const REQUIRED_CHARACTERS: readonly (readonly [RegExp, string])[] = [
  [/\p{Lu}/u, 'The password must contain at least one uppercase letter.'],
  [/\p{Ll}/u, 'The password must contain at least one lowercase letter.'],
  [/\p{Nd}/u, 'The password must contain at least one number.'],
  [/[^\p{L}\p{N}\s]/u, 'The password must contain at least one special character.'],
];

/** Why the password is too weak, one sentence per reason. Empty when it is strong enough. */
export function passwordProblems(password: string): string[] {
  const length = [...password].length;
  const problems: string[] = [];
  if (length < PASSWORD_LENGTH_MIN)
    problems.push(`The password must be at least ${PASSWORD_LENGTH_MIN} characters long.`);
  if (length > PASSWORD_LENGTH_MAX)
    problems.push(`The password must be at most ${PASSWORD_LENGTH_MAX} characters long.`);
  for (const [pattern, problem] of REQUIRED_CHARACTERS) if (!pattern.test(password)) problems.push(problem);
  return problems;
}

/** The cost parameters of scrypt. scrypt needs 128 × N × r bytes of memory. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** The stored hash of a password, decoded. */
export interface PasswordHash {
  readonly cost: ScryptCost;
  readonly salt: Uint8Array;
  readonly key: Uint8Array;
}

const ENCODED = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9_-]{1,100})\$([A-Za-z0-9_-]{1,200})$/;

/** The hash as text. It includes the cost, so that existing passwords stay valid when the cost is raised. */
export function encodePasswordHash({ cost: { N, r, p }, salt, key }: PasswordHash): string {
  return `scrypt$${N}$${r}$${p}$${base64url(salt)}$${base64url(key)}`;
}

/** The decoded hash; undefined if the text is not a password hash. */
export function decodePasswordHash(text: string): PasswordHash | undefined {
  const match = ENCODED.exec(text);
  if (!match) return undefined;
  const [, N, r, p, salt = '', key = ''] = match;
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
