import Type from 'typebox';
import { DAY_MS, isoTime } from '../../../base/clock.ts';
import { unavailable } from '../../../base/rejection.ts';
import type { MembershipStatus } from '../../../engine/membership.ts';
import { ok } from '../../../http/answer.ts';
import { REFUSAL_REASONS } from '../../../stores/refusal-texts.ts';
import type { EventsLoss } from '../../../stores/shared-store.ts';
import { routesOf } from '../../endpoint.ts';
import type { AuditLogStatus } from '../../events/retention.ts';
import type { Services } from '../../services.ts';

const route = routesOf('Operational');

/** How long a loss of audit events is shown. */
const EVENTS_LOSS_SHOWN_MS = 7 * DAY_MS;

export const health = route('GET /health', 'getHealth', {
  access: { permission: 'NONE' },
  summary: 'Whether the process runs',
  responses: { 200: { description: 'The process runs', schema: Type.Object({ health: Type.Literal('GOOD') }) } },
  handle: () => ok({ health: 'GOOD' }),
});

export const backstageHealth = route('GET /internal-backstage/health', 'getBackstageHealth', {
  access: { permission: 'NONE' },
  summary: 'Whether the process runs, under the path of Unleash Edge',
  responses: {
    200: {
      description: 'The process runs',
      schema: Type.Object({
        health: Type.Literal('GOOD'),
        status: Type.Literal('OK', { description: 'The same, in the form of Unleash Edge' }),
      }),
    },
  },
  handle: () => ok({ health: 'GOOD', status: 'OK' }),
});

const LagSchema = Type.Object(
  {
    commits: Type.Integer({ description: 'Commits of other replicas that are known and not applied yet' }),
    ms: Type.Number({ description: 'Milliseconds since there are such commits' }),
  },
  { description: 'How far behind the store this replica is' },
);

const LossesSchema = Type.Object(
  {
    policy: Type.String({ description: 'REDIS_ON_LOSS' }),
    current: Type.Union([Type.String(), Type.Null()], {
      description: 'The current loss of data in the store. While there is one, writes are refused',
    }),
    found: Type.Integer({ description: 'Number of losses since this process started' }),
    refilled: Type.Integer({ description: 'Number of losses that this replica repaired from its memory' }),
    adopted: Type.Integer({
      description:
        'Number of losses after which this replica adopted the state of the store and dropped its own divergent commits',
    }),
    givenUp: Type.Integer({
      description: 'Number of divergent commits that this replica had applied and then dropped',
    }),
    auditLog: Type.Union([Type.String(), Type.Null()], {
      description: 'The last loss of audit events in the store, for a week; null if there was none',
    }),
    divergentFile: Type.Union([Type.String(), Type.Null()], {
      description: 'The file with the newest divergent commits, or the copy of the state that contains them',
    }),
  },
  { description: 'Losses: the store came back without commits of this replica, or with another history' },
);

const RefusalSchema = Type.Object(
  {
    reason: Type.Enum([...REFUSAL_REASONS]),
    since: Type.String({ format: 'date-time', description: 'Since when writes are refused' }),
    message: Type.String({ description: 'The problem' }),
    advice: Type.String({ description: 'What to do about it' }),
  },
  { description: 'Writes are refused with 503. Reads are served' },
);

const AuditLogSchema = Type.Object(
  {
    firstId: Type.Integer({
      description: 'Id of the oldest stored audit event; if there is none, the id of the next audit event',
    }),
    since: Type.Union([Type.String(), Type.Null()], {
      description: 'Time of the oldest stored audit event; null if it is unknown',
    }),
    kept: Type.Integer({ description: 'Number of stored audit events' }),
    bytes: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Size of the audit events in the store; null until it is measured',
    }),
    bytesPerYear: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Estimated size of one year of audit events; null if the stored audit events cover less than a day',
    }),
  },
  { description: 'The audit log, as of its last check (`EVENTS_TRIM_EVERY_MS`)' },
);

const CountsSchema = Type.Object(
  {
    waitingNames: Type.Integer({ description: 'Names with counts that are not in the store yet' }),
    waitingSince: Type.Union([Type.String(), Type.Null()], { description: 'Since when there are such names' }),
    refused: Type.Integer({
      description: 'How often a count was refused: too many names wait, its name is too long, or its time is too old',
    }),
    dropped: Type.Integer({ description: 'How often a name was dropped because its bucket was full' }),
    lost: Type.Integer({
      description: 'Number of names whose counts the store is known to have lost',
    }),
  },
  { description: 'Counts that a crash would lose now, and counts that were lost since this process started' },
);

export const readyRoute = {
  access: { permission: 'NONE' },
  summary: 'Whether the service accepts requests: the state is loaded, and the service is not stopping',
  description:
    'A replica that cannot write is ready: it serves reads and refuses writes with 503. `writesRefused` contains the reason and the advice.',
  responses: {
    200: {
      description: 'The service accepts requests',
      schema: Type.Object({
        health: Type.Literal('GOOD'),
        status: Type.Literal('READY'),
        revision: Type.Integer({ description: 'Sequence number of the newest applied commit' }),
        front: Type.Enum(['fast', 'node'], { description: 'The HTTP server of this process (`HTTP_FRONT`)' }),
        store: Type.String({ description: '`reachable`, or since when and why it is not' }),
        stale: Type.Optional(
          Type.Union([Type.String(), Type.Null()], {
            description: 'With Redis: since when and why the served data may be outdated; null if it is current',
          }),
        ),
        writesRefused: Type.Union([RefusalSchema, Type.Null()], { description: 'Null: writes are accepted' }),
        lag: Type.Optional(LagSchema),
        losses: Type.Optional(LossesSchema),
        events: Type.Optional(AuditLogSchema),
        counts: CountsSchema,
      }),
    },
  },
  errors: [503],
  handle(
    _request: object,
    { ready: isReady, http, state, store, clock, membership, refusals, auditLogRetention, counts }: Services,
  ) {
    const status = store.status();
    const storeText = status.reachable ? 'reachable' : `unreachable since ${status.since}: ${status.reason}`;
    const { current: writesRefused } = refusals;
    if (!isReady()) {
      const isWaitingForStore = membership && !membership.follower.hasJoined;
      const why = writesRefused ? ` Writes are refused: ${writesRefused.message}. ${writesRefused.advice}` : '';
      return unavailable(
        `The service is starting or stopping.${isWaitingForStore ? ` The store is ${storeText}.` : ''}${why}`,
        1,
      );
    }
    return ok({
      health: 'GOOD',
      status: 'READY',
      revision: state.seq,
      front: http().front,
      store: storeText,
      writesRefused,
      ...(membership && replicaFields(membership.status(), clock.nowMs())),
      ...(auditLogRetention.status && { events: presentAuditLog(auditLogRetention.status) }),
      counts: counts.risk,
    });
  },
} as const;

const ready = route('GET /ready', 'getReady', readyRoute);

const backstageReady = route('GET /internal-backstage/ready', 'getBackstageReady', readyRoute);

function replicaFields({ stale, lag, loss, losses, eventsLoss, onLoss }: MembershipStatus, nowMs: number) {
  const auditLog = eventsLoss && nowMs - eventsLoss.atMs < EVENTS_LOSS_SHOWN_MS ? eventsLossText(eventsLoss) : null;
  const current = loss && `${loss.kind}: ${loss.message}`;
  return { stale, lag, losses: { policy: onLoss, current, ...losses, auditLog } };
}

function eventsLossText({ throughId, restored, atMs }: EventsLoss): string {
  return `noticed at ${isoTime(atMs)}: the events up to ${throughId} are lost; ${restored} newer ones were put back`;
}

function presentAuditLog({ firstId, since, count, sizeBytes, yearBytes }: AuditLogStatus) {
  return { firstId, since, kept: count, bytes: sizeBytes, bytesPerYear: yearBytes };
}

export const operationalEndpoints = [health, ready, backstageHealth, backstageReady];
