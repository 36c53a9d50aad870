import { EVENT_TYPES } from '../../../../src/model/event.ts';
import type { Api } from './api.ts';
import type { Shape } from './largest-value.ts';
import type { World } from './world.ts';

const PATH = '/api/admin/addons';

/** An address that no request is made to: it is not public. */
const URL_OF_ADDON = 'https://192.0.2.1/';

/** A secret of the largest integration. */
export const ADDON_SECRET = 'Bearer of-the-largest-integration';

/** Deletes all integrations, so that their limit is never reached, and creates one. Returns its id. */
export async function ownAddon(api: Api): Promise<Readonly<Record<string, string>>> {
  await noAddons(api);
  const body = { provider: 'webhook', enabled: true, parameters: { url: URL_OF_ADDON }, events: [...EVENT_TYPES] };
  const { id } = (await api.accepted({ method: 'POST', path: PATH, body })) as { id: number };
  return { id: String(id) };
}

export async function noAddons(api: Api): Promise<Readonly<Record<string, string>>> {
  const { addons } = (await api.accepted({ method: 'GET', path: PATH })) as { addons: { id: number }[] };
  for (const { id } of addons) await api.accepted({ method: 'DELETE', path: `${PATH}/${id}` });
  return {};
}

/** The integration with the longest lists, and with a template of many sections or of a long text. */
export function largestAddon({ environments }: World, { mode }: Shape): object {
  const bodyTemplate =
    mode === 'many'
      ? '{{#event}}{{type}}{{/event}}'.repeat(125)
      : `{{=<% %>=}}${'{{event.type}} <% event.type %>'.repeat(120)}`;
  const customHeaders = JSON.stringify(
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x-header-${index}`, 'v'.repeat(150)])),
  );
  return {
    provider: 'webhook',
    description: 'd'.repeat(10_000),
    enabled: true,
    events: [...EVENT_TYPES],
    projects: ['*'],
    environments: [...environments],
    parameters: { url: URL_OF_ADDON, authorization: ADDON_SECRET, customHeaders, bodyTemplate },
  };
}
