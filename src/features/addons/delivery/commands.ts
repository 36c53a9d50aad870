import Type from 'typebox';
import { isoTime } from '../../../base/clock.ts';
import { conflict, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { AddonAttempt, type AddonDelivery, NOT_FAILING } from '../addon.ts';

const HOLDER = {
  id: Type.Integer({ minimum: 1 }),
  /** The process. */
  holder: Type.String({ minLength: 1, maxLength: 64 }),
  /** How long the process then has the lease, in milliseconds; 0: it gives the lease up. */
  leaseMs: Type.Integer({ minimum: 0 }),
};

/** Takes the lease of an add-on, with which a process may send its events. Refused while another process has it. */
export const claimAddon = command({
  name: 'claim-addon',
  input: Type.Object(HOLDER),
  decide(context, { id, holder, leaseMs }) {
    const delivery = held(context, id, holder);
    if (delivery instanceof Rejection) return delivery;
    const after = { ...delivery, lease: leaseOf(context, holder, leaseMs) };
    context.draft.put('addonDeliveries', after);
    return after;
  },
});

/** A failure after which the event is sent again. */
const Failure = Type.Object({ nextAttemptAt: Nullable(DateTime), isParked: Type.Boolean() });

/** Stores attempts, and how far the events of an add-on were sent. Refused if another process has the lease, which then sends these events again. */
export const recordDeliveries = command({
  name: 'record-deliveries',
  input: Type.Object({
    ...HOLDER,
    cursor: Type.Integer({ minimum: 0 }),
    attempts: Type.Array(Type.Omit(AddonAttempt, ['addon', 'number']), { maxItems: 64 }),
    failure: Nullable(Failure),
  }),
  decide(context, { id, holder, leaseMs, cursor, attempts, failure }) {
    const { draft, now } = context;
    const before = held(context, id, holder);
    if (before instanceof Rejection) return before;
    let { recorded } = before;
    for (const { eventId, at, state, stateDetails, status } of attempts)
      draft.put('addonAttempts', { addon: id, number: ++recorded, eventId, at, state, stateDetails, status });
    const delivered = before.delivered + attempts.filter(({ state }) => state !== 'failed').length;
    const { failures, failingSince, nextAttemptAt } = delivered > before.delivered ? NOT_FAILING : before;
    const after: AddonDelivery = {
      id,
      cursor: Math.max(before.cursor, cursor),
      recorded,
      delivered,
      parkedAt: before.parkedAt,
      failures,
      failingSince,
      nextAttemptAt,
      ...(failure && {
        failures: failures + 1,
        failingSince: failingSince ?? now,
        nextAttemptAt: failure.nextAttemptAt,
        parkedAt: failure.isParked ? now : null,
      }),
      lease: leaseOf(context, holder, leaseMs),
    };
    draft.put('addonDeliveries', after);
    return after;
  },
});

/** The delivery of an add-on, if the process has its lease or can have it. */
function held({ draft, now }: CommandContext, id: number, holder: string): AddonDelivery | Rejection {
  const delivery = draft.get('addonDeliveries', String(id));
  if (!delivery) return notFound(`There is no integration with the id ${id}.`);
  const { lease } = delivery;
  if (lease && lease.holder !== holder && lease.until > now) return conflict('Another process sends these events.');
  return delivery;
}

function leaseOf({ now }: CommandContext, holder: string, leaseMs: number): AddonDelivery['lease'] {
  return leaseMs === 0 ? null : { holder, until: isoTime(Date.parse(now) + leaseMs) };
}
