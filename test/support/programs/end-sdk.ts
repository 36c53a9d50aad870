import { EventEmitter } from 'node:events';

/**
 * Ends a server SDK. The SDK removes its listeners, but does not stop a poll that has begun: if that poll fails, the error has no listener, and Node would
 * end the process.
 */
export function endSdk(sdk: { destroy(): void }): void {
  sdk.destroy();
  listenToErrors(sdk, new Set());
}

function listenToErrors(part: unknown, known: Set<unknown>): void {
  if (!(part instanceof EventEmitter) || known.has(part)) return;
  known.add(part);
  part.on('error', () => {});
  for (const inner of Object.values(part)) listenToErrors(inner, known);
}
