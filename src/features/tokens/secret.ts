import { randomBytes } from 'node:crypto';

/** 224 random bits: the secret cannot be guessed. */
const RANDOM_BYTES = 28;

/** The text of a new token: `project:environment.secret`; several projects are written as `[]`. */
export function newSecret(projects: readonly string[], environment: string): string {
  const [only = ''] = projects;
  return `${projects.length === 1 ? only : '[]'}:${environment}.${randomBytes(RANDOM_BYTES).toString('hex')}`;
}
