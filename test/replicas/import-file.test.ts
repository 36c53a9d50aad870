import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Replica } from './fleet.ts';
import { type FleetHere, startFleetHere } from './fleet-here.ts';

let folder: string;
let fleet: FleetHere | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'burgee-import-'));
});

afterEach(async () => {
  await fleet?.dispose();
  await rm(folder, { recursive: true, force: true });
});

it('replicas that start together on an empty Redis import the file once, and a replica that starts later changes nothing', async () => {
  const path = join(folder, 'export.json');
  const featureName = 'banner';
  const strategy = { name: 'default', featureName, parameters: {}, constraints: [] };
  const content = {
    features: [{ name: featureName, type: 'release' }],
    featureStrategies: [strategy],
    featureEnvironments: [{ featureName, enabled: true }],
  };
  await writeFile(path, JSON.stringify(content));
  fleet = await startFleetHere(3, { IMPORT_FILE: path });
  const importsSeenBy = async (replica: Replica) => {
    const { events } = (await replica.call('GET', '/api/admin/events')).json;
    return events.filter(({ type }: { type: string }) => type === 'features-imported').length;
  };
  expect([...(await fleet.expectAgreement()).names]).toEqual([featureName]);
  expect(await importsSeenBy(fleet.at(0))).toBe(1);
  const later = await fleet.add({ IMPORT_FILE: path });
  await later.start();
  expect([...(await fleet.expectAgreement()).names]).toEqual([featureName]);
  expect(await importsSeenBy(later)).toBe(1);
});
