/** The address of Redis and the credentials, parsed from a connection string. */
export interface RedisTarget {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  /** The server itself, or the sentinels or cluster nodes that know its address. */
  readonly hosts: readonly HostAndPort[];
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** The name that the sentinels use for the server. Empty unless `kind` is `sentinel`. */
  readonly masterName: string;
  readonly sentinelUsername: string | undefined;
  readonly sentinelPassword: string | undefined;
}

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 6_379;
const DEFAULT_SENTINEL_PORT = 26_379;
const SHAPE = /^redis(s?)(?:[-+](sentinel|cluster))?:\/\/(?:([^/]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const HELP =
  'expected redis://[user:password@]host[:port][/database], ' +
  'redis-sentinel://[user:password@]sentinel[:port],…/name-of-the-server[/database][?sentinelPassword=…] ' +
  'or redis-cluster://[user:password@]node[:port],…; rediss… for TLS';

/** The text is not a connection string. The message is for people. It contains no part of the text, which may contain a password. */
export class ConnectionStringError extends Error {
  override readonly name = 'ConnectionStringError';
}

/**
 * Reads a connection string: one server, the sentinels that know it, or nodes of a cluster. Names and passwords are percent-encoded.
 * @throws ConnectionStringError
 */
export function parseConnectionString(text: string): RedisTarget {
  const match = SHAPE.exec(text.trim());
  if (!match) throw new ConnectionStringError(`not a connection string of Redis: ${HELP}`);
  const [, secure, mode, userInfo, hostList = '', path = '', queryText = ''] = match;
  const kind = mode === 'sentinel' || mode === 'cluster' ? mode : 'single';
  const hosts = hostList
    .split(',')
    .map((host) => parseHost(host, kind === 'sentinel' ? DEFAULT_SENTINEL_PORT : DEFAULT_PORT));
  if (kind === 'single' && hosts.length > 1) {
    throw new ConnectionStringError(`several hosts are for redis-sentinel:// and redis-cluster:// only: ${HELP}`);
  }
  const segments = path.split('/').filter((segment) => segment !== '');
  const masterName = kind === 'sentinel' ? decode(segments.shift() ?? '') : '';
  if (kind === 'sentinel' && masterName === '') {
    throw new ConnectionStringError(`the name of the server, as the sentinels know it, is missing: ${HELP}`);
  }
  const query = new URLSearchParams(queryText);
  return {
    kind,
    hosts,
    tls: secure === 's',
    ...parseUser(userInfo),
    database: parseDatabase(segments, kind),
    masterName,
    sentinelUsername: query.get('sentinelUsername') ?? undefined,
    sentinelPassword: query.get('sentinelPassword') ?? undefined,
  };
}

/** The address of the server for logs and messages, without user names and passwords. */
export function describeTarget({ kind, hosts, tls, database, masterName }: RedisTarget): string {
  const scheme = `redis${tls ? 's' : ''}${kind === 'single' ? '' : `-${kind}`}`;
  const list = hosts.map(describeHost).join(',');
  return `${scheme}://${list}${masterName && `/${masterName}`}${database === 0 ? '' : `/${database}`}`;
}

export function describeHost({ host, port }: HostAndPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseHost(text: string, defaultPort: number): HostAndPort {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text.trim());
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? defaultPort : Number(match[3]);
  if (host === undefined || port > 65_535) throw new ConnectionStringError(`a host cannot be read: ${HELP}`);
  return { host, port };
}

function parseUser(userInfo: string | undefined): Pick<RedisTarget, 'username' | 'password'> {
  if (userInfo === undefined || userInfo === '') return { username: undefined, password: undefined };
  const colon = userInfo.indexOf(':');
  // `redis://secret@host`: only a password, as some users write it.
  if (colon < 0) return { username: undefined, password: decode(userInfo) };
  return { username: decode(userInfo.slice(0, colon)) || undefined, password: decode(userInfo.slice(colon + 1)) };
}

function parseDatabase([text = '0', ...rest]: readonly string[], kind: RedisTarget['kind']): number {
  if (!/^\d{1,5}$/.test(text) || rest.length > 0) {
    throw new ConnectionStringError(`the database must be a number: ${HELP}`);
  }
  if (kind === 'cluster' && Number(text) !== 0) throw new ConnectionStringError('a cluster has database 0 only');
  return Number(text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConnectionStringError('a name or password is not percent-encoded correctly');
  }
}
