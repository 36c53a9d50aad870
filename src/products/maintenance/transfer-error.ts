/** The command cannot be completed. The message is one line for users and contains no password. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
