import { BASE_PATH as BASE } from '../base-path.ts';

const MESSAGE_MAX = 2000;
const STACK_MAX = 8000;
/** A page that fails in a loop must not fill the log. */
const REPORTS_MAX = 20;
let reports = 0;
const reported = new Set<string>();

/** Writes the error into the log of the service; it does not leave the instance. */
export function reportError(error: unknown): void {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  if (reports >= REPORTS_MAX || reported.has(message)) return;
  reports += 1;
  reported.add(message);
  void fetch(`${BASE}/api/admin/record-ui-error`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ errorMessage: message.slice(0, MESSAGE_MAX), errorStack: stack?.slice(0, STACK_MAX) ?? '' }),
  }).catch(() => undefined);
}

export function reportUncaughtErrors(): void {
  window.addEventListener('error', (event) => reportError(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => reportError(event.reason));
}
