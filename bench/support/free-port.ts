import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections: while nobody listens, a client that goes on asking may be given the very port it asks
 * for, and meets itself there. Of these, the upper ones are left to the bus ports of a cluster's nodes, each 10,000 above its own.
 */
const FIRST = 10_000;
const PORTS = 10_000;
/** What hardly any process uses more of: the next one, whose number is often the next, too, takes its own at the same time. */
const OF_A_PROCESS = 40;

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
