/** A problem that is shown to the user as one line, without secrets. Imported objects stay. The user can run the command again to continue. */
export class MigrateError extends Error {
  override readonly name = 'MigrateError';
}
