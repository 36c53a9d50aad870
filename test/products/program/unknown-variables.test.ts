import { describe, expect, it } from 'vitest';
import { unknownVariables } from '../../../src/products/unknown-variables.ts';

describe('unknown environment variables', () => {
  it.each([
    ['REDIS_URI', 'REDIS_URL'],
    ['REDISURL', 'REDIS_URL'],
    ['REDIS_HOST', 'REDIS_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['DATA_DIRS', 'DATA_DIR'],
  ])('%s is refused: %s is the option for the location of the data', (name, meant) => {
    expect(unknownVariables({ [name]: 'x' }).refusal).toContain(`is ${meant} meant?`);
  });

  it('only cause a warning when the store is configured as well', () => {
    const { refusal, warnings } = unknownVariables({ REDIS_URL: 'redis://a', REDIS_HOST: 'a' });
    expect(refusal).toBeNull();
    expect(warnings).toEqual([expect.stringContaining('REDIS_HOST')]);
  });

  it('warn about options for Redis that have no effect without Redis', () => {
    expect(unknownVariables({ REDIS_STRICT: 'true' }).warnings).toEqual([expect.stringContaining('REDIS_STRICT')]);
  });

  it('warn that PostgreSQL is not used, with the location of the data, when they configure PostgreSQL', () => {
    const { refusal, warnings } = unknownVariables({ DATABASE_URL: 'postgres://x', DATABASE_SSL: 'false' });
    expect(refusal).toBeNull();
    expect(warnings).toEqual([
      expect.stringMatching(/^DATABASE_SSL, DATABASE_URL have no effect.*PostgreSQL.*DATA_DIR.*burgee migrate/),
    ]);
  });

  it('warn about a variable of another command, with the name of the command', () => {
    expect(unknownVariables({ UPSTREAM_URL: 'http://a' }).warnings).toEqual([
      'the environment holds UPSTREAM_URL, which is for burgee relay, and means nothing to this command',
    ]);
    expect(unknownVariables({ UPSTREAM_URL: 'http://a' }, ['UPSTREAM_URL']).warnings).toEqual([]);
  });

  it('do not confuse the folder of Edge with the one of backups', () => {
    expect(unknownVariables({ BACKUP_FOLDER: '/data' }).warnings.join()).not.toContain('AUTO_BACKUP');
    expect(unknownVariables({ AUTO_BACKUP_DIRS: '/backups' }).warnings).toEqual([
      expect.stringContaining('is AUTO_BACKUP_DIR meant?'),
    ]);
  });

  it('warn when they are similar to an option or begin like our options', () => {
    for (const name of ['HTTPPORT', 'BURGEE_PORT', 'INIT_CLIENT_API_TOKEN', 'UNLEASH_URI']) {
      const { refusal, warnings } = unknownVariables({ [name]: '1' });
      expect(refusal).toBeNull();
      expect(warnings).toEqual([expect.stringContaining(name)]);
    }
  });

  it('cause no warning for other programs, for variables that Kubernetes sets in every pod, and for empty ones', () => {
    const environment = {
      PATH: '/bin',
      INIT_CWD: '/',
      HTTP_PROXY: 'http://proxy',
      NODE_ENV: 'production',
      npm_lifecycle_event: 'start',
      XDG_DATA_DIRS: '/usr/share',
      BURGEE_URL: 'http://a',
      BURGEE_TOKEN: 'x',
      REDIS_URI: '',
      REDIS_SERVICE_HOST: '10.0.0.1',
      REDIS_SERVICE_PORT: '6379',
      REDIS_SERVICE_PORT_TCP_REDIS: '6379',
      REDIS_PORT: 'tcp://10.0.0.1:6379',
      REDIS_PORT_6379_TCP: 'tcp://10.0.0.1:6379',
      REDIS_PORT_6379_TCP_ADDR: '10.0.0.1',
      BURGEE_SERVICE_HOST: '10.0.0.2',
      BURGEE_PORT: 'tcp://10.0.0.2:80',
    };
    expect(unknownVariables(environment)).toEqual({ refusal: null, warnings: [] });
  });
});
