import { randomBytes } from 'node:crypto';

/** Guessing one is out of the question: 224 bits. */
const RANDOM_BYTES = 28;

/** A new token's text: `project:environment.secret`; several projects are written `[]`. */
export function newSecret(projects: readonly string[], environment: string): string {
  const [only = ''] = projects;
  return `${projects.length === 1 ? only : '[]'}:${environment}.${randomBytes(RANDOM_BYTES).toString('hex')}`;
}
