import { describeHost, describeTarget, type HostAndPort, type RedisTarget } from './connection-string.ts';
import { LostAnswerError } from './session.ts';
import { UnfitServerError } from './unfit-server-error.ts';

/** What an error says about the address in REDIS_URL. */
interface Finding {
  readonly pattern: RegExp;
  /** What to change, as one sentence without its full stop. */
  readonly advice: (target: RedisTarget) => string;
  /** Whether it stays until somebody changes the address or the server: then no further try can succeed. */
  readonly isLasting: boolean;
  /** Left out: for every kind of address. */
  readonly kinds?: readonly RedisTarget['kind'][];
}

/** The address with another scheme, as an example. Never has a user or a password. */
const as = (scheme: string, { hosts, tls }: RedisTarget, rest = ''): string =>
  `${tls ? 'rediss' : 'redis'}${scheme}://${hosts.map(describeHost).join(',')}${rest}`;

const USE_CLUSTER = (target: RedisTarget) =>
  `the server is a node of a Redis Cluster: let REDIS_URL begin with ${as('-cluster', target)}`;

/**
 * What Redis and the connection say when REDIS_URL names something else than a server of its kind. Each has one sentence that says what to change. The
 * first one that matches counts.
 */
const FINDINGS: readonly Finding[] = [
  { pattern: /\b(MOVED|ASK|CROSSSLOT)\b/, kinds: ['single', 'sentinel'], advice: USE_CLUSTER, isLasting: true },
  {
    pattern: /cluster support disabled/i,
    kinds: ['cluster'],
    advice: (target) => `the server is not part of a cluster: let REDIS_URL begin with ${as('', target)}`,
    isLasting: true,
  },
  {
    pattern: /unknown command [`'"]?SENTINEL/i,
    kinds: ['sentinel'],
    advice: (target) => `the server is no Sentinel: let REDIS_URL begin with ${as('', target)}, or name the Sentinels`,
    isLasting: true,
  },
  {
    pattern: /it knows no server/,
    kinds: ['sentinel'],
    advice: () => 'correct the name at the end of REDIS_URL: it must be the one that `SENTINEL masters` shows',
    isLasting: false,
  },
  {
    pattern: /DB index is out of range|invalid DB index/i,
    advice: ({ database }) =>
      `the server has no database ${database}: correct the number at the end of REDIS_URL, or raise \`databases\` in redis.conf`,
    isLasting: true,
  },
  {
    // Redis itself says that a command is not allowed with a code before it: `OOM command not allowed when used memory > 'maxmemory'`.
    pattern: /^(?!(?!ERR\b)[A-Z]{3,}\b).*([Uu]n(known|supported) command|[Cc]ommand .*not (allowed|supported))/,
    advice: () =>
      'this is not Redis itself: a proxy refuses commands that Burgee needs. Let REDIS_URL name the Redis server behind it',
    isLasting: true,
  },
  {
    pattern: /Unknown RESP type|Protocol error/i,
    advice: () => 'this is not Redis: another service answers there. Correct host and port in REDIS_URL',
    isLasting: true,
  },
  {
    pattern:
      /self[- ]signed certificate|unable to (verify|get local issuer|get issuer)|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_VERIFY/i,
    advice: () =>
      'this process does not trust the certificate of Redis: start it with NODE_EXTRA_CA_CERTS=/path/to/ca.pem, the file of its authority',
    isLasting: true,
  },
  {
    pattern: /does not match certificate's altnames/i,
    advice: () => 'the certificate of Redis is for another name: let REDIS_URL name the host as the certificate does',
    isLasting: true,
  },
  {
    pattern: /certificate has expired|certificate is not yet valid/i,
    advice: () => 'renew the certificate of Redis, or correct the clock of this machine',
    isLasting: false,
  },
  {
    pattern: /wrong version number|packet length too long|before secure TLS connection was established/i,
    advice: (target) =>
      `the server does not speak TLS there: let REDIS_URL begin with redis:// instead of ${describeTarget(target).split('//')[0]}//, or name its port for TLS`,
    isLasting: true,
  },
  {
    pattern: /ENOTFOUND|EAI_AGAIN/,
    advice: () => 'no such host is known: correct the name in REDIS_URL, or the name service',
    isLasting: false,
  },
  {
    // A Redis without TLS waits for the rest of what it takes for a command.
    pattern: /ETIMEDOUT/,
    advice: ({ tls }) =>
      `nothing answers there: start Redis, or open the network to it${tls ? '. If that port does not speak TLS, let REDIS_URL begin with redis://' : ''}`,
    isLasting: false,
  },
  {
    pattern: /ECONNREFUSED/,
    advice: () => 'nothing listens there: start Redis, or correct host and port in REDIS_URL',
    isLasting: false,
  },
];

/** The end of a connection at its first command. A proxy or a port for TLS does so, and also a server that is just ending. */
const CLOSED_AT_ONCE =
  'the connection was closed at the first command: a proxy that does not know the command, or a port that expects TLS (rediss://). ' +
  'Let REDIS_URL name the Redis server itself';

/** The error with what to change, or the error itself if it does not say anything about the address. */
export function explained(error: unknown, target: RedisTarget): unknown {
  if (!(error instanceof Error) || error instanceof UnfitServerError) return error;
  const { message } = error;
  const found = FINDINGS.find(
    ({ pattern, kinds }) => pattern.test(message) && (kinds === undefined || kinds.includes(target.kind)),
  );
  return found ? new UnfitServerError(`${message}: ${found.advice(target)}`, found.isLasting) : error;
}

/** Same as `explained`, for an error of the first command of a session. */
export function explainedFirst(error: unknown, target: RedisTarget): unknown {
  const isClosed = error instanceof LostAnswerError && /closed|ECONNRESET|EPIPE/i.test(error.message);
  return isClosed ? new UnfitServerError(`${error.message}: ${CLOSED_AT_ONCE}`, false) : explained(error, target);
}

/** Refuses a server whose kind differs from that of REDIS_URL. `mode`: what the server calls it. @throws UnfitServerError */
export function checkKind(mode: string, target: RedisTarget, address: HostAndPort): void {
  if (mode === 'cluster' && target.kind !== 'cluster') throw new UnfitServerError(USE_CLUSTER(target), true);
  if (mode === 'sentinel')
    throw new UnfitServerError(
      `${describeHost(address)} is a Sentinel: let REDIS_URL begin with ${as('-sentinel', target, '/name-of-the-server')}`,
      true,
    );
}
