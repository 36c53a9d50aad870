/** A problem that is shown in one line: what was done stays, and running it again goes on. Never contains a secret. */
export class MigrateError extends Error {
  override readonly name = 'MigrateError';
}
