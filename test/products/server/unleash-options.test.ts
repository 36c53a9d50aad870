import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { startTestService } from '../../support/service.ts';

describe("Unleash's options of the HTTP server", () => {
  it('ACCESS_CONTROL_MAX_AGE is sent to browsers; without it, a day', async () => {
    for (const [env, expected] of [
      [{ ACCESS_CONTROL_MAX_AGE: '60' }, '60'],
      [{}, '86400'],
    ] as const) {
      const service = await startTestService({ env });
      const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'GET' };
      const answer = await fetch(`${service.url}/api/frontend`, { method: 'OPTIONS', headers });
      expect(answer.headers.get('access-control-max-age')).toBe(expected);
      await service.close();
    }
  });

  it('REQUEST_LOGGER_ENABLE logs each request at level info', async () => {
    for (const [env, expected] of [
      [{ REQUEST_LOGGER_ENABLE: 'true' }, [['GET', '/health', 200]]],
      [{}, []],
    ] as const) {
      const lines: unknown[] = [];
      const info = (fields: { method?: string; route?: string; status?: number }, message: string) => {
        if (message === 'request') lines.push([fields.method, fields.route, fields.status]);
      };
      const service = await startTestService({ env, logger: { ...silentLogger, info } as typeof silentLogger });
      await (await fetch(`${service.url}/health`)).text();
      await service.close();
      expect(lines).toEqual(expected);
    }
  });
});
