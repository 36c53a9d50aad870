const MESSAGE_LENGTH_MAX = 1_000;

/** The message in the body of an error answer; "" when the body has another form. */
export function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? '').slice(0, MESSAGE_LENGTH_MAX);
  } catch {
    return '';
  }
}

/** The reason why `fetch` got no answer. The text contains nothing from the request. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
