/** The command cannot continue. The message is one line for users, without secrets. Imported objects stay: the user can run the command again. */
export class MigrateError extends Error {
  override readonly name = 'MigrateError';
}
