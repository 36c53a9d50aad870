import Type from 'typebox';
import { collection } from '../../model/collection.ts';
import type { EntityOf } from '../../model/entity.ts';
import { DateTime, MapOf, NAME_LENGTH_MAX, Nullable, Text } from '../../model/primitives.ts';
import { ADDON_LIMITS } from './limits.ts';

/** A parameter as it is stored: plain, or sealed with `SECRETS_KEY` if it is a secret. */
export const StoredParameter = Type.Union([
  Type.Object({ plain: Type.String({ maxLength: ADDON_LIMITS.addonParameterLength.max }) }),
  Type.Object({ sealed: Type.String({ maxLength: 8 * ADDON_LIMITS.addonParameterLength.max }) }),
]);
export type StoredParameter = EntityOf<typeof StoredParameter>;

const Names = (maxItems: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX }), { maxItems, description });

/** The fields of an add-on that callers choose. */
export const ADDON_FIELDS = {
  provider: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: 'Name of the provider' }),
  description: Nullable(Text),
  enabled: Type.Boolean({ description: 'Whether events are sent' }),
  events: Names(ADDON_LIMITS.addonEvents.max, 'The types of events that are sent'),
  projects: Names(
    ADDON_LIMITS.addonProjects.max,
    'Only events of these projects, and events without a project, are sent. Empty, or `*`: of all projects',
  ),
  environments: Names(
    ADDON_LIMITS.addonEnvironments.max,
    'Only events of these environments, and events without an environment, are sent. Empty, or `*`: of all environments',
  ),
};

/** An integration: events of the audit log that a provider sends to an address. Collection `addons`, key: the id as text. */
export const Addon = Type.Object({
  /** The first id is 1. An id is never reused. */
  id: Type.Integer({ minimum: 1 }),
  ...ADDON_FIELDS,
  /** Only parameters that the provider has. */
  parameters: MapOf(StoredParameter),
  createdAt: DateTime,
});
export type Addon = EntityOf<typeof Addon>;

/** The process that sends the events of an add-on, and until when. */
const Lease = Type.Object({ holder: Type.String({ maxLength: 64 }), until: DateTime });

/**
 * How far the events of an add-on were sent. Collection `addonDeliveries`, key: the id of the add-on as text. It is stored apart from the add-on,
 * because it changes with every delivery.
 */
export const AddonDelivery = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  /** Id of the last event that needs no further attempt: it was delivered, or the add-on does not send it. */
  cursor: Type.Integer({ minimum: 0 }),
  /** Attempts that are recorded, which is also the number of the newest record. */
  recorded: Type.Integer({ minimum: 0 }),
  delivered: Type.Integer({ minimum: 0 }),
  /** Failed attempts since the last success. */
  failures: Type.Integer({ minimum: 0 }),
  failingSince: Nullable(DateTime),
  nextAttemptAt: Nullable(DateTime),
  /** When the add-on was parked: no more attempts are made until it is changed. */
  parkedAt: Nullable(DateTime),
  lease: Nullable(Lease),
});
export type AddonDelivery = EntityOf<typeof AddonDelivery>;

/** The delivery of an add-on whose last attempt did not fail. */
export const NOT_FAILING = { failures: 0, failingSince: null, nextAttemptAt: null } satisfies Partial<AddonDelivery>;

export const DELIVERY_STATES = ['success', 'failed', 'successWithErrors'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * The record of one attempt to deliver an event. Collection `addonAttempts`, key: the id of the add-on and the attempt's slot. The newest attempts of
 * each add-on are kept: a newer one replaces the one in its slot.
 */
export const AddonAttempt = Type.Object({
  addon: Type.Integer({ minimum: 1 }),
  number: Type.Integer({ minimum: 1 }),
  eventId: Type.Integer({ minimum: 0 }),
  at: DateTime,
  state: Type.Enum([...DELIVERY_STATES]),
  /** A sentence for people, without secrets. */
  stateDetails: Type.String({ maxLength: ADDON_LIMITS.addonAttemptText.max }),
  /** Status of the answer; null if there was none. */
  status: Nullable(Type.Integer()),
});
export type AddonAttempt = EntityOf<typeof AddonAttempt>;

export const addons = collection({ schema: 1, key: (addon: Addon) => String(addon.id) });

export const addonDeliveries = collection({ schema: 1, key: (delivery: AddonDelivery) => String(delivery.id) });

export const addonAttempts = collection({
  schema: 1,
  key: ({ addon, number }: AddonAttempt) => attemptKey(addon, number),
  indexes: { attemptsByAddon: ({ addon }: AddonAttempt) => [String(addon)] },
});

/** The key of the attempt with this number. */
export function attemptKey(addon: number, number: number): string {
  return `${addon}/${number % ADDON_LIMITS.addonAttempts.max}`;
}

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly addons: typeof addons;
    readonly addonDeliveries: typeof addonDeliveries;
    readonly addonAttempts: typeof addonAttempts;
  }
}
