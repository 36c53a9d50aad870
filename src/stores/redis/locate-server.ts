import { describeHost, type HostAndPort, type RedisTarget } from './connection-string.ts';
import { type Reply, Session, type SessionTimeouts } from './session.ts';

/**
 * Returns the address of the server to use. Sentinels are asked for its current address, and the nodes of a cluster which of them has the keys: all
 * keys share a hash tag, so it is one node. A failover ends the session, and the next session asks again.
 * @throws Error with a message for people.
 */
export async function locateServer(
  target: RedisTarget,
  key: string,
  timeouts: SessionTimeouts,
  signal?: AbortSignal,
): Promise<HostAndPort> {
  const [first] = target.hosts;
  if (target.kind === 'single' && first) return first;
  const failures: string[] = [];
  for (const host of target.hosts) {
    if (signal?.aborted) break;
    try {
      return target.kind === 'sentinel'
        ? await askSentinel(target, host, timeouts, signal)
        : await askNode(target, host, key, timeouts, signal);
    } catch (error) {
      failures.push(`${describeHost(host)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`no ${target.kind === 'sentinel' ? 'sentinel' : 'node'} knows the server (${failures.join('; ')})`);
}

async function askSentinel(
  target: RedisTarget,
  host: HostAndPort,
  timeouts: SessionTimeouts,
  signal?: AbortSignal,
): Promise<HostAndPort> {
  const signIn = { ...target, username: target.sentinelUsername, password: target.sentinelPassword, database: 0 };
  const session = await Session.open(signIn, host, timeouts, signal);
  try {
    const reply = await session.command('SENTINEL', 'get-master-addr-by-name', target.masterName);
    if (!Array.isArray(reply)) throw new Error(`it knows no server "${target.masterName}"`);
    return { host: String(reply[0]), port: Number(String(reply[1])) };
  } finally {
    session.drop('asked');
  }
}

async function askNode(
  target: RedisTarget,
  host: HostAndPort,
  key: string,
  timeouts: SessionTimeouts,
  signal?: AbortSignal,
): Promise<HostAndPort> {
  const session = await Session.open(target, host, timeouts, signal);
  try {
    const slot = Number(await session.command('CLUSTER', 'KEYSLOT', key));
    const ranges = (await session.command('CLUSTER', 'SLOTS')) as Reply[][];
    const range = ranges.find(([from, to]) => Number(from) <= slot && slot <= Number(to));
    const node = range?.[2];
    if (!Array.isArray(node)) throw new Error(`no node holds slot ${slot}`);
    // A node that does not know its own address leaves it out: then the address that was asked is used.
    return { host: node[0] === null || String(node[0]) === '' ? host.host : String(node[0]), port: Number(node[1]) };
  } finally {
    session.drop('asked');
  }
}
