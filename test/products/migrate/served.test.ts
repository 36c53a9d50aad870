import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';
import { runMigrate, startTarget } from './run-migrate.ts';

let source: TestService;
let target: TestService;

beforeAll(async () => {
  [source, target] = await Promise.all([startTestService(), startTarget()]);
});
afterAll(() => Promise.all([source.close(), target.close()]));

const PARAMETERS = [
  {},
  { stickiness: 'userId' },
  { rollout: '', groupId: 'g' },
  { rollout: 'many' },
  { rollout: '30' },
];

it('burgee migrate --from keeps what the source serves: incomplete strategies stay off, and nothing differs', async () => {
  const features = PARAMETERS.map((parameters, index) => {
    const content = { id: '', title: null, disabled: false, constraints: [], segments: [], variants: [] };
    const strategies = [{ ...content, name: 'flexibleRollout', parameters }];
    const environments = [{ environment: 'development', enabled: true, strategies, variants: [], isServed: true }];
    return { name: `served-${index}`, project: 'default', environments };
  });
  const made = await source.call('takeOver', { body: { features } });
  expect(made.body.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(PARAMETERS.map(() => 'created'));
  const { code, out } = await runMigrate(source.url, target.url, '--verify');
  expect(code, out).toBe(0);
  for (const [index, parameters] of PARAMETERS.entries()) {
    const flag = target.running.services.state.get('features', `served-${index}`);
    const location = flag?.environments.find(({ environment }) => environment === 'development');
    expect(location?.strategies).toMatchObject([{ parameters }]);
    expect(Object.keys(location?.strategies[0]?.parameters ?? {})).toEqual(Object.keys(parameters));
  }
});
