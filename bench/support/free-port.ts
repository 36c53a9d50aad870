import { createServer } from 'node:net';

/**
 * Below the ports that systems assign to outgoing connections: while no server listens, a client that retries may be assigned the very port that it connects
 * to, and then connects to itself. The next 10,000 ports are left to the bus ports of cluster nodes, each 10,000 above the node's own port.
 */
const FIRST = 10_000;
const PORTS = 10_000;
/**
 * From the first port of a process to that of the process with the next id: about 0.618 of all, so that the ports of many processes that start one after the
 * other begin far from each other. They take their ports at the same time.
 */
const TO_NEXT_PROCESS = 6_181;

/** The only port of these to which `fetch` and browsers refuse to connect ("bad port" in the Fetch standard). */
const REFUSED_BY_FETCH = 10_080;

let next = process.pid * TO_NEXT_PROCESS;

/**
 * A port of the loopback interface that was free a moment ago, and that no other process gets for a while. A client that still tries to reach a server that
 * has ended must not find the server of another test there: a replica would use that server, and report that its history is not the one that it knows.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST + (next++ % PORTS);
    if (port !== REFUSED_BY_FETCH && (await isFree(port))) return port;
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
