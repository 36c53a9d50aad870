import { describe, expect, it } from 'vitest';
import { FORMER_PATHS, filledPath } from '../../console/src/former-paths.ts';
import { PATHS } from '../../console/src/paths.ts';
import { CONSOLE_PATHS } from '../../src/features/console/paths.ts';
import { endpoints } from '../../src/features/registry.ts';
import { pathsOf } from '../../src/http/endpoint.ts';

const screens: readonly string[] = Object.values(PATHS);
/** Parameters may have other names. */
const shapeOf = (path: string) => path.replace(/:\w+/g, ':');
const shapes = (paths: readonly string[]) => paths.map(shapeOf).sort();

describe('the paths of the console', () => {
  it('are the same in the service and in the console', () => {
    expect(shapes(['/', ...CONSOLE_PATHS])).toEqual(shapes([...screens, ...Object.keys(FORMER_PATHS)]));
  });

  it('that have no screen lead to one, with the parameters of its path', () => {
    for (const [from, to] of Object.entries(FORMER_PATHS)) {
      expect(shapes(screens), from).toContain(shapeOf(to.replace(/\?.*/, '')));
      const names = (path: string) => path.match(/:\w+/g) ?? [];
      expect(names(from), from).toEqual(expect.arrayContaining(names(to)));
    }
    expect(filledPath('/projects/:projectId/settings/:tab', { projectId: 'a b', tab: 'access' })).toBe(
      '/projects/a%20b/settings/access',
    );
  });

  it('are not paths of the API', () => {
    const others = endpoints
      .filter(({ operationId }) => !/^get(Start|Console)/.test(operationId))
      .flatMap(pathsOf as never);
    const reserved = ['/api', '/auth', '/edge', '/ofrep', '/docs', '/assets', '/logout', '/health', '/ready'];
    for (const path of CONSOLE_PATHS) {
      expect(others).not.toContain(path);
      expect(reserved).not.toContain(`/${path.split('/')[1]}`);
    }
  });
});
