import { afterAll, beforeAll, expect, it } from 'vitest';
import { accepted, prepare } from '../../support/admin.ts';
import { ADDON_ENV } from '../../support/http/receiver.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { runMigrate, startTarget, TARGET_ADMIN } from './run-migrate.ts';

let source: TestService;
let target: TestService;

beforeAll(async () => {
  source = await startTestService({ env: ADDON_ENV });
  target = await startTarget(ADDON_ENV);
  const events = ['feature-created', 'feature-environment-enabled'];
  const webhook = { provider: 'webhook', enabled: true, events, projects: ['default'], environments: ['production'] };
  const parameters = { url: 'https://calendar.example.com/flags', bodyTemplate: '{{eventMarkdown}}' };
  for (const rest of [{ description: 'Calendar' }, { description: 'Calendar', enabled: false }, {}])
    await accepted(source, 'createAddon', { body: { ...webhook, ...rest, parameters } });
  // What only another instance can have: a provider and a type of event that Burgee does not know.
  await prepare(source, (draft) => {
    const known = { id: 8, description: 'Old', enabled: true, projects: [], environments: [], parameters: {} };
    const createdAt = '2026-01-01T00:00:00.000Z';
    draft.put('addons', { ...known, provider: 'carrier-pigeon', events: ['feature-created'], createdAt });
    draft.put('addons', { ...known, id: 9, provider: 'datadog', events: ['feature-created', 'own-event'], createdAt });
  });
});

afterAll(async () => {
  await source?.close();
  await target?.close();
});

const migrate = (...args: readonly string[]) => runMigrate(source.url, target.url, ...args);
const imported = async () => (await accepted(target, 'getAddons', { token: TARGET_ADMIN })).body.addons;
const MISSING = 'imported switched off, because the source does not show secrets: ';

it('a dry run says which integrations it would import, and why one cannot be', async () => {
  const { code, out } = await migrate('--dry-run');
  expect(code, out).toBe(3);
  expect(out).toMatch(
    / 4 integrations would be created: webhook "Calendar", webhook "Calendar", webhook, datadog "Old"$/m,
  );
  expect(await imported()).toEqual([]);
});

it('imports integrations switched off, and says which secrets are missing', async () => {
  const { code, out } = await migrate();
  // One is refused; that secrets are missing does not change the exit code.
  expect(code, out).toBe(3);
  expect(out).toMatch(/ 4 integrations created: /);
  expect(out).toContain('integrations: carrier-pigeon "Old": The provider must be one of webhook,');
  expect(out).toContain(`integration webhook "Calendar": ${MISSING}enter its secrets here (url), and switch it on`);
  expect(out).toContain(`${MISSING}enter its secrets here (url) before you switch it on`);
  expect(out).toContain('integration datadog "Old": Burgee has no events of these types: own-event');
  expect(out).not.toContain('Burgee has no integrations');
  const taken = {
    provider: 'webhook',
    enabled: false,
    parameters: { bodyTemplate: '{{eventMarkdown}}' },
    events: ['feature-created', 'feature-environment-enabled'],
    projects: ['default'],
    environments: ['production'],
  };
  expect(await imported()).toMatchObject([
    { ...taken, description: 'Calendar', delivery: { state: 'off' } },
    { ...taken, description: 'Calendar' },
    { ...taken, description: null },
    { provider: 'datadog', enabled: false, events: ['feature-created'], parameters: {} },
  ]);
});

it('a second run leaves an integration as it is: people have entered its secrets', async () => {
  const [{ id, delivery: _own, ...first }] = await imported();
  const body = { ...first, enabled: true, parameters: { url: 'https://other.example.com' }, environments: [] };
  await accepted(target, 'updateAddon', { params: { id }, body, token: TARGET_ADMIN });
  const before = await imported();
  const { seq } = target.running.services.state;
  const { out } = await migrate();
  expect(out).not.toMatch(/integrations (created|changed)/);
  expect(target.running.services.state.seq).toBe(seq);
  expect(await imported()).toEqual(before);
});
