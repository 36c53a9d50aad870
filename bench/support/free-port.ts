import { createServer } from 'node:net';

/** Below the ports that the system gives to outgoing connections, and, for the bus port of a cluster's node, 10,000 below those above. */
const FIRST = 10_000;
const PORTS = 10_000;
const OF_A_PROCESS = 8;

let next = process.pid * OF_A_PROCESS;

/**
 * A port of the loopback interface that was free a moment ago, and that no other process is given for a while: whoever still tries to reach a server
 * that has ended must not find another one there, of another test. A replica would, and say that its history is not the one that it knows.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST + (next++ % PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
