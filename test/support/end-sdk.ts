import { EventEmitter } from 'node:events';

/**
 * Ends an SDK for servers. It takes its listeners away and lets what it has begun go on: a poll that fails afterwards is an error that nobody listens to,
 * which Node takes for one of the whole process.
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
