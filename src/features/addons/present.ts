import type { StateReader } from '../../state/collections.ts';
import type { Addon } from './addon.ts';
import { maskedParameters } from './parameters.ts';
import type { Provider } from './providers/provider.ts';

/** An add-on as the admin API shows it. */
export function presentAddon(addon: Addon, reader: StateReader) {
  const { id, provider, description, enabled, parameters, events, projects, environments, createdAt } = addon;
  const own = { id, provider, description, enabled, parameters: maskedParameters(parameters) };
  return { ...own, events, projects, environments, createdAt, delivery: presentDelivery(addon, reader) };
}

function presentDelivery({ id, enabled }: Addon, reader: StateReader) {
  const delivery = reader.get('addonDeliveries', String(id));
  const { delivered = 0, failures = 0, failingSince = null, nextAttemptAt = null, parkedAt = null } = delivery ?? {};
  const state = parkedAt !== null ? 'parked' : failures > 0 ? 'failing' : 'delivering';
  return { state: enabled ? state : 'off', delivered, failingSince, nextAttemptAt };
}

/** A provider as lists show it. `url`: the address of the service, for the link to the documentation. */
export function presentProvider(provider: Provider, events: readonly string[], url: string) {
  const { messages: _messages, problem: _problem, failureOf: _failureOf, tagTypes = [], ...shown } = provider;
  return { ...shown, documentationUrl: `${url}/docs`, events, tagTypes };
}
