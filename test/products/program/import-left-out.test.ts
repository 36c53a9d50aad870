import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Logger, silentLogger } from '../../../src/base/logger.ts';
import { exportOf } from '../../support/exports.ts';
import { burgee } from '../../support/programs/run-burgee.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../../support/service.ts';

let directory: string;
let service: TestService;
let warned: unknown[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-test-'));
  warned = [];
  const logger: Logger = {
    ...silentLogger,
    child: () => logger,
    warn: (...all: unknown[]) => void warned.push(all),
  } as unknown as Logger;
  service = await startTestService({ logger });
});

afterEach(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

const NO_DOCUMENTS = {
  environments: [],
  projects: [],
  contextFields: [],
  tagTypes: [],
  strategyTypes: [],
  formerStrategyTypes: [],
  tags: [],
  segments: [],
  defaultStrategies: [],
  featureTypes: [],
  users: [],
  frontendOrigins: [],
};

it('burgee import names a flag that the service leaves out, imports the others, and exits with 1', async () => {
  const data = exportOf('good', {
    features: [{ name: 'good' }, { name: 'bad' }],
    featureStrategies: [
      { featureName: 'good', name: 'flexibleRollout', constraints: [], segments: [] },
      { featureName: 'bad', name: 'flexibleRollout', parameters: { rollout: 'many' } },
    ],
  });
  const file = 'flags/default.json';
  await mkdir(join(directory, 'flags'));
  const flagFiles = [{ project: 'default', environment: 'development', flags: 2, file }];
  await writeFile(join(directory, 'export.json'), JSON.stringify({ flagFiles }));
  await writeFile(join(directory, 'instance.json'), JSON.stringify(NO_DOCUMENTS));
  await writeFile(join(directory, file), JSON.stringify({ environment: 'development', data }));
  const ended = await burgee(['import', directory, '--url', service.url], { BURGEE_TOKEN: ADMIN_TOKEN });
  expect(ended.code).toBe(1);
  expect(ended.err).toContain('These features are left out: bad (The parameter rollout must be a number');
  expect(ended.out).toContain('flags: 1 refused, 1 made');
  const { state } = service.running.services;
  expect(state.get('features', 'bad')).toBeUndefined();
  expect(state.get('features', 'good')?.environments[0]?.strategies).toMatchObject([
    { parameters: { rollout: '100', stickiness: 'default', groupId: 'good' } },
  ]);
  expect(warned).toContainEqual([
    expect.objectContaining({
      project: 'default',
      leftOut: [expect.objectContaining({ affectedItems: [expect.any(String)] })],
    }),
    'An import left out a part of its file',
  ]);
});
