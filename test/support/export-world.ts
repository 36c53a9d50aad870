import { readFileSync } from 'node:fs';
import { flag, prepare, switchedOn } from './admin.ts';
import type { TestService } from './service.ts';

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../fixtures/unleash-8.2-${name}.json`, import.meta.url), 'utf8'));

/** Number of flags that SDKs see after `fillWorld`, in development, production and staging. */
export const FLAGS_OF_WORLD = [124, 124, 4];

const AT = '2026-01-01T00:00:00.000Z';

/** Creates examples of everything that an export contains, and of everything that it omits. */
export async function fillWorld(service: TestService): Promise<void> {
  const made = async (operation: string, body: object, params = {}) => {
    const { status, text } = await service.call(operation, { body, params });
    if (status >= 300) throw new Error(`${operation}: ${status} ${text}`);
  };
  for (const segment of fixture('segments')) await made('createSegment', segment);
  for (const environment of ['development', 'production']) {
    await made('importFeatures', { project: 'default', environment, data: fixture('export') });
  }
  await made('createEnvironment', { name: 'staging', type: 'preproduction' });
  await made('createStrategy', {
    name: 'by-team',
    parameters: [{ name: 'team', type: 'string', required: true, description: '' }],
  });
  await made('createTagType', { name: 'squad', description: 'Whose it is', icon: 'G', color: '#123456' });
  await made('createTag', { type: 'squad', value: 'growth' });
  await made('createContextField', {
    name: 'plan',
    stickiness: true,
    legalValues: [{ value: 'free' }, { value: 'paid' }],
  });
  await made('createProject', { id: 'shop', name: 'Shop', environments: ['development', 'staging', 'production'] });
  const shop = {
    mode: 'protected',
    linkTemplates: [{ title: 'Ticket', urlTemplate: 'https://example.com/{{feature}}' }],
  };
  await made('updateProject', shop, { projectId: 'shop' });
  await made('updateProject', { mode: 'private', description: 'Ours' }, { projectId: 'default' });
  await made('createProjectContextField', { name: 'cart', description: 'Of the shop' }, { projectId: 'shop' });
  await made('createSegment', { name: 'shop-only', project: 'shop', constraints: [plan(['paid'])] });
  await made('setCors', { frontendApiOrigins: ['https://shop.example.com'] });
  await made('updateFeatureTypeLifetime', { lifetimeDays: 11 }, { id: 'release' });
  await made('createUser', { email: 'reviewer@example.com', name: 'R', rootRole: 2, sendEmail: false });
  const several = { tokenName: 'several', type: 'client', environment: 'development', projects: ['default', 'shop'] };
  await made('createApiToken', several);
  await made('createApiToken', {
    ...several,
    tokenName: 'expiring',
    projects: ['*'],
    expiresAt: '2090-01-01T00:00:00Z',
  });
  await made('createApiToken', { tokenName: 'shop', type: 'frontend', environment: 'staging', projects: ['shop'] });
  await prepare(service, (draft) => {
    const [segment] = [...draft.lookup('segmentsByName', 'shop-only')];
    draft.put('apiTokens', {
      secret: '*:staging.export',
      tokenName: 'staging',
      type: 'client',
      environment: 'staging',
      projects: ['*'],
      createdAt: AT,
      expiresAt: null,
      seenAt: null,
      alias: null,
    });
    const wide = Array.from({ length: 31 }, (_, index) => ({
      ...plan([`p${index}`]),
      contextName: 'userId',
      inverted: true,
    }));
    const strategy = (name: string, sortOrder: number, more: object = {}) => ({
      id: `${name}-${sortOrder}`,
      name,
      title: null,
      disabled: false,
      sortOrder,
      parameters: {},
      constraints: [],
      segments: [],
      variants: [],
      ...more,
    });
    const ordered = ['z', 'a', 'm'].map((team, index) => strategy('by-team', index, { parameters: { team } }));
    const environment = (name: string, strategies: object[], enabled = true) =>
      ({ ...switchedOn(name), enabled, strategies }) as ReturnType<typeof switchedOn>;
    const tags = [{ type: 'squad', value: 'growth' }];
    const links = [{ id: 'l', url: 'https://example.com/ticket', title: 'Ticket' }];
    const shop = { project: 'shop' };
    draft.put(
      'features',
      flag('parent', { ...shop, tags, links, environments: [switchedOn('staging', [segment?.id ?? 0])] }),
    );
    draft.put(
      'features',
      flag('child', {
        ...shop,
        dependencies: [{ feature: 'parent', enabled: true, variants: [] }],
        environments: [environment('staging', ordered), environment('development', ordered, false)],
      }),
    );
    draft.put(
      'features',
      flag('wide', {
        ...shop,
        environments: [environment('production', [strategy('default', 0, { constraints: wide })])],
      }),
    );
    draft.put('features', flag('__proto__', { ...shop, stale: true, impressionData: true }));
    draft.put('features', flag('old-flag', { ...shop, archived: true, archivedAt: AT }));
  });
}

function plan(values: string[]) {
  return { contextName: 'plan', operator: 'IN' as const, values, inverted: false, caseInsensitive: false };
}
