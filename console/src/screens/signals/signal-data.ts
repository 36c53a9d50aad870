import type { components } from '../../api/schema.d.ts';
import { publicUrl } from '../../data/base.ts';
import { api, read, stated, type Writing, write } from '../../data/client.ts';
import { Failure } from '../../data/failure.ts';
import { ifSame } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';
import { useUiConfig } from '../../data/settings.ts';
import { text, type ValuesOf } from '../../parts/fields.tsx';
import { signals as words } from '../../words/en/admin/signals.ts';

export type SignalEndpoint = components['schemas']['signalEndpointSchema'];
export type SignalToken = SignalEndpoint['tokens'][number];
export type NewSignalToken = components['schemas']['createdSignalEndpointTokenSchema'];
export type Signal = components['schemas']['signalEndpointSignalSchema'];

export const LIST = '/api/admin/signal-endpoints';
const ONE = '/api/admin/signal-endpoints/{id}';
const TOKEN = '/api/admin/signal-endpoints/{id}/tokens/{tokenId}';

const at = (id: number) => ({ path: { id } });

export const signalEndpointsQuery = {
  queryKey: keys.signalEndpoints,
  queryFn: async () => (await read(api.GET(LIST))).signalEndpoints,
} as const;

const readOne = (id: number) => read(api.GET(ONE, { params: at(id), cache: 'no-store' }));

export const signalEndpointQuery = (id: number) =>
  ({ queryKey: keys.signalEndpoint(id), queryFn: () => readOne(id), retry: false }) as const;

/** The stream of changes has no signals: a busy monitor sends one a second. */
const READ_EVERY_MS = 3_000;

/** Signals are read again until the endpoint is gone, or the person may not see them. */
export const signalsQuery = (id: number) =>
  ({
    queryKey: keys.signalEndpoint(id, 'signals'),
    queryFn: async () => (await read(api.GET(`${ONE}/signals`, { params: at(id) }))).signalEndpointSignals,
    refetchInterval: ({ state: { error } }: { readonly state: { readonly error: Error | null } }) =>
      error instanceof Failure && error.status >= 400 && error.status < 500 ? (false as const) : READ_EVERY_MS,
    staleTime: 0,
    retry: false,
  }) as const;

const NAME = /^(?!\.{1,2}$)[\w.~-]+$/;

export const endpointFields = {
  name: text(words.name, {
    max: 100,
    mono: true,
    isRequired: true,
    hint: words.nameHint,
    problem: (name) => (NAME.test(name.trim()) ? undefined : words.nameWrong),
  }),
  description: text(words.description, { max: 255, hint: words.descriptionHint }),
};
export type EndpointValues = ValuesOf<typeof endpointFields>;

export const valuesOf = ({ name, description }: SignalEndpoint): EndpointValues => ({
  name,
  description: description ?? '',
});

const bodyOf = ({ name, description }: EndpointValues, enabled = true) => ({
  name: name.trim(),
  description: description.trim() || null,
  enabled,
});

export const createEndpoint = (values: EndpointValues) => write(api.POST(LIST, { body: bodyOf(values) }));

/** On condition that the endpoint is as it was when it was read. */
export const saveEndpoint = (
  before: SignalEndpoint,
  values: EndpointValues,
  reason: string,
): Writing<SignalEndpoint> => {
  const { id, enabled } = before;
  const sent = { params: at(id), headers: stated({ reason }), body: bodyOf(values, enabled) };
  return ifSame(
    async () => editedOf(await readOne(id)),
    editedOf(before),
    () => write(api.PUT(ONE, sent)),
  );
};

const editedOf = (endpoint: SignalEndpoint) => [valuesOf(endpoint), endpoint.enabled];

export const switchEndpoint = (id: number, isOn: boolean, reason: string): Writing<unknown> => {
  const sent = { params: at(id), headers: stated({ reason }) };
  return isOn ? write<unknown>(api.POST(`${ONE}/on`, sent)) : write<unknown>(api.POST(`${ONE}/off`, sent));
};

export const deleteEndpoint = (id: number, reason: string): Writing<unknown> =>
  write<unknown>(api.DELETE(ONE, { params: at(id), headers: stated({ reason }) }));

/** The answer has the secret, only this time. */
export const createToken = (id: number, name: string): Writing<NewSignalToken> =>
  write(api.POST(`${ONE}/tokens`, { params: at(id), body: { name: name.trim() } }));

export const renameToken = (id: number, tokenId: number, name: string, reason: string): Writing<SignalToken> =>
  write(
    api.PUT(TOKEN, { params: { path: { id, tokenId } }, headers: stated({ reason }), body: { name: name.trim() } }),
  );

export const deleteToken = (id: number, tokenId: number, reason: string): Writing<unknown> =>
  write<unknown>(api.DELETE(TOKEN, { params: { path: { id, tokenId } }, headers: stated({ reason }) }));

export const afterEndpoint = (id: number) => [keys.signalEndpoints, keys.signalEndpoint(id)];

/** Where a monitor sends signals to. */
export const useSignalUrl = (name: string) =>
  `${publicUrl(useUiConfig()?.unleashUrl)}/api/signal-endpoint/${encodeURIComponent(name)}`;
