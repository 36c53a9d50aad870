import Type from 'typebox';
import { unavailable } from '../../../base/rejection.ts';
import type { MembershipStatus } from '../../../engine/membership.ts';
import { ok } from '../../../http/answer.ts';
import { REFUSAL_REASONS } from '../../../stores/write-refusal.ts';
import { routesOf } from '../../endpoint.ts';
import type { AuditLogStatus } from '../../events/retention.ts';
import type { Services } from '../../services.ts';

const route = routesOf('Operational');

export const health = route('GET /health', 'getHealth', {
  access: { permission: 'NONE' },
  summary: 'Whether the process lives',
  responses: { 200: { description: 'It does', schema: Type.Object({ health: Type.Literal('GOOD') }) } },
  handle: () => ok({ health: 'GOOD' }),
});

export const backstageHealth = route('GET /internal-backstage/health', 'getBackstageHealth', {
  access: { permission: 'NONE' },
  summary: 'Whether the process lives, under the path that Unleash Edge has',
  responses: {
    200: {
      description: 'It does',
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
    ms: Type.Number({ description: 'For how long there have been such commits' }),
  },
  { description: 'How far behind the store this replica is' },
);

const LossesSchema = Type.Object(
  {
    policy: Type.String({ description: 'REDIS_ON_LOSS' }),
    current: Type.Union([Type.String(), Type.Null()], {
      description: 'The current loss of the store; until it is settled, writes are refused',
    }),
    found: Type.Integer({ description: 'Losses since this process started' }),
    refilled: Type.Integer({ description: 'Of these, settled from the memory of this replica' }),
    adopted: Type.Integer({
      description: 'Of these, settled by adopting the state of the store and giving up commits of this replica',
    }),
    givenUp: Type.Integer({ description: 'Commits that this replica had applied and then gave up' }),
    surplus: Type.Union([Type.String(), Type.Null()], {
      description: 'The file with the newest of these commits, or the copy of the state that contains them',
    }),
  },
  { description: 'The store came back without commits of this replica, or with another history' },
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
      description: 'Id of the oldest audit event that is kept; of the next one when none is kept',
    }),
    since: Type.Union([Type.String(), Type.Null()], { description: 'When it happened' }),
    kept: Type.Integer({ description: 'Audit events that are kept' }),
    bytes: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Their size in the store; null until it is measured',
    }),
    bytesPerYear: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Estimated size of one year of audit events, from those that are kept; null when these cover less than a day',
    }),
  },
  { description: 'The audit log, as of its last check (`EVENTS_TRIM_EVERY_MS`)' },
);

const CountsSchema = Type.Object(
  {
    waitingNames: Type.Integer({ description: 'Names with counts that are not in the store yet' }),
    waitingSince: Type.Union([Type.String(), Type.Null()], { description: 'Since when there are such names' }),
    refused: Type.Integer({
      description: 'How often a count was refused: too many were waiting, or its name was too long',
    }),
    dropped: Type.Integer({ description: 'How often a name was dropped because its bucket was full' }),
    lost: Type.Integer({
      description: 'Names with counts that the store had and has lost since, as far as this was detected',
    }),
  },
  { description: 'Counters: what a crash would lose now, and what was lost since this process started' },
);

export const readyRoute = {
  access: { permission: 'NONE' },
  summary: 'Whether to send requests here: the state is loaded, and the service is not stopping',
  description:
    'A replica that cannot write is ready: it serves reads from memory, and refuses writes with 503. `writesRefused` contains the reason and the advice.',
  responses: {
    200: {
      description: 'They should',
      schema: Type.Object({
        health: Type.Literal('GOOD'),
        status: Type.Literal('READY'),
        revision: Type.Integer({ description: 'Sequence number of the newest applied commit' }),
        store: Type.String({ description: '`reachable`, or since when and why it is not' }),
        stale: Type.Optional(
          Type.Union([Type.String(), Type.Null()], {
            description: 'With Redis: since when and why what is served may be old; null when it is not',
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
    { ready: isReady, state, store, membership, refusals, auditLogRetention, counts }: Services,
  ) {
    const status = store.status();
    const presented = status.reachable ? 'reachable' : `unreachable since ${status.since}: ${status.reason}`;
    const { current: writesRefused } = refusals;
    if (!isReady()) {
      const isAway = membership && !membership.follower.joined;
      const why = writesRefused ? ` Writes are refused: ${writesRefused.message}. ${writesRefused.advice}` : '';
      return unavailable(`The service is starting or stopping.${isAway ? ` The store is ${presented}.` : ''}${why}`, 1);
    }
    return ok({
      health: 'GOOD',
      status: 'READY',
      revision: state.seq,
      store: presented,
      writesRefused,
      ...(membership && replicaFields(membership.status())),
      ...(auditLogRetention.status && { events: presentAuditLog(auditLogRetention.status) }),
      counts: counts.risk,
    });
  },
} as const;

const ready = route('GET /ready', 'getReady', readyRoute);

const backstageReady = route('GET /internal-backstage/ready', 'getBackstageReady', readyRoute);

function replicaFields({ stale, lag, loss, losses, onLoss }: MembershipStatus) {
  return { stale, lag, losses: { policy: onLoss, current: loss && `${loss.kind}: ${loss.message}`, ...losses } };
}

function presentAuditLog({ firstId, since, count, sizeBytes, yearBytes }: AuditLogStatus) {
  return { firstId, since, kept: count, bytes: sizeBytes, bytesPerYear: yearBytes };
}

export const operationalEndpoints = [health, ready, backstageHealth, backstageReady];
