import { ConfigError, type Environment } from '../../base/options.ts';
import { readSwitch } from './read-switch.ts';

const REDIS_PORT = '6379';

/** The Redis URL from Edge's variables; undefined when they contain none. @throws ConfigError */
export function redisUrlOf(environment: Environment): string | undefined {
  const { REDIS_URL: url, REDIS_HOST: host, REDIS_MODE: mode = 'single', REDIS_SCHEME: scheme = 'redis' } = environment;
  if (mode !== 'single' && mode !== 'cluster')
    throw new ConfigError(`REDIS_MODE must be one of single, cluster, not "${mode}"`);
  if (url === undefined && host === undefined) return undefined;
  const isTls =
    ['rediss', 'tls'].includes(scheme) ||
    (environment.REDIS_SECURE !== undefined && readSwitch(environment.REDIS_SECURE, 'REDIS_SECURE'));
  if (!['redis', 'tcp', 'rediss', 'tls'].includes(scheme))
    throw new ConfigError(`REDIS_SCHEME must be one of redis, tcp, rediss, tls, not "${scheme}"`);
  const address = url ?? `${isTls ? 'rediss' : 'redis'}://${host}:${environment.REDIS_PORT ?? REDIS_PORT}`;
  return withUser(mode === 'cluster' ? clusterOf(address) : address, environment);
}

/** Joins several addresses, such as `redis://a:1,redis://b:2`, into one address of a cluster. */
function clusterOf(addresses: string): string {
  const [first = '', ...rest] = addresses.split(',').map((text) => text.trim());
  if (/^rediss?-cluster:/.test(first)) return addresses;
  const [, secure = '', hostAndPath = ''] = /^redis(s?):\/\/(.*)$/.exec(first) ?? [];
  const otherHosts = rest.map((text) => text.replace(/^rediss?:\/\/([^@/]*@)?/, '').replace(/\/.*$/, ''));
  const [hosts = '', ...path] = hostAndPath.split('/');
  return `redis${secure}-cluster://${[hosts, ...otherHosts].join(',')}${path.length > 0 ? `/${path.join('/')}` : ''}`;
}

/** Adds user and password, if the address does not contain them. */
function withUser(address: string, { REDIS_USERNAME: user = '', REDIS_PASSWORD: password = '' }: Environment): string {
  const [, scheme, hostAndPath = ''] = /^([a-z-]+:\/\/)(.*)$/.exec(address) ?? [];
  if (scheme === undefined || hostAndPath.includes('@') || (user === '' && password === '')) return address;
  return `${scheme}${encodeURIComponent(user)}:${encodeURIComponent(password)}@${hostAndPath}`;
}
