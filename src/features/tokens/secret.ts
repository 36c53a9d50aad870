import { randomBytes } from 'node:crypto';

/** 224 random bits: the secret cannot be guessed. */
const RANDOM_BYTES = 28;

/** Creates the text of a token: `project:environment.secret`. `[]` stands for several projects. */
export function newSecret(projects: readonly string[], environment: string): string {
  const [first = ''] = projects;
  return `${projects.length === 1 ? first : '[]'}:${environment}.${randomBytes(RANDOM_BYTES).toString('hex')}`;
}
