/** What was asked for cannot be done. The message is one line, for people, and holds no password. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
