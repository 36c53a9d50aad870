const MESSAGE_LENGTH_MAX = 1_000;

/** What the body of an error answer says to people; "" when it is of another form. */
export function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? '').slice(0, MESSAGE_LENGTH_MAX);
  } catch {
    return '';
  }
}

/** Why `fetch` got no answer. Says nothing of what was sent. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
