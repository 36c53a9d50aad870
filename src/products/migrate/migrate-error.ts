/** Something to be told to people in one line: what was done stays, and running it again goes on. Never holds a secret. */
export class MigrateError extends Error {
  override readonly name = 'MigrateError';
}
