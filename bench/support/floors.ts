import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { type Process, startProcess, untilReady } from './service.ts';

const SCRIPT = fileURLToPath(new URL('./floor.js', import.meta.url));

type Kind = 'answers' | 'answers-in-one' | 'node' | 'reads' | 'parses' | 'streams';

/** Starts a bare server (floor.ts). Resolves when it listens. */
export async function startFloor(kind: Kind, ...files: readonly string[]): Promise<Process> {
  const port = await freePort();
  const floor = await startProcess(SCRIPT, [String(port), kind, ...files], {}, port);
  await untilReady(floor);
  return floor;
}
