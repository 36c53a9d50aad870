import { ConfigError, type Environment } from '../../base/options.ts';
import { readSwitch } from './read-switch.ts';

const REDIS_PORT = '6379';

/** The Redis URL from Edge's variables; undefined when they contain none. @throws ConfigError */
export function redisUrlOf(supplied: Environment): string | undefined {
  const { REDIS_URL: url, REDIS_HOST: host, REDIS_MODE: mode = 'single', REDIS_SCHEME: scheme = 'redis' } = supplied;
  if (mode !== 'single' && mode !== 'cluster')
    throw new ConfigError(`REDIS_MODE must be one of single, cluster, not "${mode}"`);
  if (url === undefined && host === undefined) return undefined;
  const isTls =
    ['rediss', 'tls'].includes(scheme) ||
    (supplied.REDIS_SECURE !== undefined && readSwitch(supplied.REDIS_SECURE, 'REDIS_SECURE'));
  if (!['redis', 'tcp', 'rediss', 'tls'].includes(scheme))
    throw new ConfigError(`REDIS_SCHEME must be one of redis, tcp, rediss, tls, not "${scheme}"`);
  const address = url ?? `${isTls ? 'rediss' : 'redis'}://${host}:${supplied.REDIS_PORT ?? REDIS_PORT}`;
  return withUser(mode === 'cluster' ? clusterOf(address) : address, supplied);
}

/** Joins several addresses, such as `redis://a:1,redis://b:2`, into one address of a cluster. */
function clusterOf(addresses: string): string {
  const [first = '', ...rest] = addresses.split(',').map((text) => text.trim());
  if (/^rediss?-cluster:/.test(first)) return addresses;
  const [, secure = '', place = ''] = /^redis(s?):\/\/(.*)$/.exec(first) ?? [];
  const others = rest.map((text) => text.replace(/^rediss?:\/\/([^@/]*@)?/, '').replace(/\/.*$/, ''));
  const [hosts = '', ...path] = place.split('/');
  return `redis${secure}-cluster://${[hosts, ...others].join(',')}${path.length > 0 ? `/${path.join('/')}` : ''}`;
}

/** Adds user and password, if the address does not contain them. */
function withUser(address: string, { REDIS_USERNAME: user = '', REDIS_PASSWORD: password = '' }: Environment): string {
  const [, scheme, place = ''] = /^([a-z-]+:\/\/)(.*)$/.exec(address) ?? [];
  if (scheme === undefined || place.includes('@') || (user === '' && password === '')) return address;
  return `${scheme}${encodeURIComponent(user)}:${encodeURIComponent(password)}@${place}`;
}
