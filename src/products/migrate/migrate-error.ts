/** A problem that is shown in one line. What was already imported stays; running the command again continues. Never contains a secret. */
export class MigrateError extends Error {
  override readonly name = 'MigrateError';
}
