import { fileURLToPath } from 'node:url';
import { silentLogger } from '../../../src/base/logger.ts';
import { readConfig } from '../../../src/config.ts';
import { ConsoleFiles } from '../../../src/features/console/console-files.ts';
import { Passwords } from '../../../src/features/sign-on/passwords/hashing.ts';
import { type Demo, startDemo } from '../../../src/products/demo/demo.ts';
import { CHEAP } from '../../support/password-cost.ts';

const CONSOLE = fileURLToPath(new URL('../../../dist/console/', import.meta.url));

/** Parameters of all paths. Those that the demo gives ids are read from it. */
export const params = {
  projectId: 'shop',
  featureId: 'shop.new-checkout',
  tab: '',
  name: 'country',
  id: '',
  appName: 'web-shop',
};

/** The demo has none, because it sends nothing to other hosts. */
export const INTEGRATION = {
  provider: 'webhook',
  description: 'Release calendar',
  enabled: false,
  events: ['feature-environment-enabled'],
  parameters: { url: 'https://calendar.example.com/flags' },
};

/** The demo has no monitor. */
export const ENDPOINT = { name: 'alertmanager', description: 'Alerts of the production cluster' };
export const ACTION = {
  name: 'Checkout off after errors',
  payload: { status: { operator: 'IN', values: ['firing'] } },
  actions: [
    {
      action: 'TOGGLE_FEATURE_OFF',
      executionParams: { environment: 'production', featureName: params.featureId },
    },
  ],
};

/** The demo has none. A plan of it is added to the flag whose screen is shown. */
export const TEMPLATE = {
  name: 'Slow rollout',
  milestones: [
    {
      name: 'First users',
      strategies: [{ strategyName: 'flexibleRollout', parameters: { rollout: '10' } }],
      transitionCondition: { intervalMinutes: 120 },
    },
    { name: 'Everyone', strategies: [{ strategyName: 'default' }] },
  ],
};

export const OWN_TEMPLATE = { ...TEMPLATE, name: 'Rollout of the shop' };

interface Listed {
  readonly id: number | string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string | null;
}

/** The demo with something on every screen of the console. */
export async function startFilledDemo() {
  const parts = {
    passwords: new Passwords({ cost: CHEAP }),
    consoleFiles: new ConsoleFiles(() => CONSOLE, readConfig({}), silentLogger),
  };
  const endMs = Date.now();
  const demo: Demo = await startDemo({
    host: '127.0.0.1',
    port: 0,
    logger: silentLogger,
    endMs,
    parts,
    random: () => 0.5,
  });
  const signedOn = await signOn(demo, demo.username);
  /** Creates something by the API, and returns its id. */
  const create = async <Id extends number | string = number>(path: string, body: object): Promise<Id> => {
    const answer = await fetch(`${demo.url}/api/admin/${path}`, {
      method: 'POST',
      headers: { ...signedOn, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return ((await answer.json()) as { readonly id: Id }).id;
  };
  await create('addons', INTEGRATION);
  const sourceId = await create('signal-endpoints', ENDPOINT);
  const actorId = await create('service-account', { name: 'Kill switch', rootRole: 2 });
  const { name, payload, actions } = ACTION;
  const match = { source: 'signal-endpoint', sourceId, payload };
  await create('projects/shop/actions', { name, actorId, match, actions });
  const templateId = await create<string>('release-plan-templates', TEMPLATE);
  await create<string>(`projects/${params.projectId}/release-plan-templates`, OWN_TEMPLATE);
  await create('projects/shop/features/shop.new-checkout/environments/development/release-plans', { templateId });
  return {
    url: demo.url,
    signedOn,
    create,
    signOn: (username: string) => signOn(demo, username),
    /** The id of the entry of a list of the API that has this name, title or description. */
    async idOf(list: string, wanted: string): Promise<string> {
      const answer = await fetch(`${demo.url}/api/admin/${list}`, { headers: signedOn });
      const body = (await answer.json()) as Record<string, unknown> | Listed[];
      const lists = Array.isArray(body) ? [body] : (Object.values(body).filter(Array.isArray) as Listed[][]);
      const entry = lists.flat().find((one) => [one.name, one.title, one.description].includes(wanted));
      if (!entry) throw new Error(`${wanted} is not in the list ${list}`);
      return String(entry.id);
    },
    close: () => demo.close(),
  };
}

export type FilledDemo = Awaited<ReturnType<typeof startFilledDemo>>;

async function signOn(demo: Demo, username: string): Promise<{ readonly cookie: string }> {
  const answer = await fetch(`${demo.url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: demo.password }),
  });
  return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
}
