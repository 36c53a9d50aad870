import Type from 'typebox';
import { unavailable } from '../../../base/rejection.ts';
import type { MembershipStatus } from '../../../engine/membership.ts';
import { ok } from '../../../http/answer.ts';
import { REFUSAL_REASONS } from '../../../stores/write-refusal.ts';
import { routesOf } from '../../endpoint.ts';
import type { AuditLogStatus } from '../../events/retention.ts';
import type { Services } from '../../services.ts';

const route = routesOf('Operational');

export const health = route('GET /health', {
  operationId: 'getHealth',
  access: { permission: 'NONE' },
  summary: 'Whether the process lives',
  responses: { 200: { description: 'It does', schema: Type.Object({ health: Type.Literal('GOOD') }) } },
  handle: () => ok({ health: 'GOOD' }),
});

export const backstageHealth = route('GET /internal-backstage/health', {
  operationId: 'getBackstageHealth',
  access: { permission: 'NONE' },
  summary: 'Whether the process lives, where operators of the relay look',
  responses: {
    200: {
      description: 'It does',
      schema: Type.Object({
        health: Type.Literal('GOOD'),
        status: Type.Literal('OK', { description: 'The same, as the relay says it' }),
      }),
    },
  },
  handle: () => ok({ health: 'GOOD', status: 'OK' }),
});

const LagSchema = Type.Object(
  {
    commits: Type.Integer({ description: 'Commits of other replicas that are known and not applied yet' }),
    ms: Type.Number({ description: 'For how long there have been any' }),
  },
  { description: 'How far behind the store this replica is' },
);

const LossesSchema = Type.Object(
  {
    policy: Type.String({ description: 'REDIS_ON_LOSS' }),
    current: Type.Union([Type.String(), Type.Null()], {
      description: 'What the store lost, while that is not settled: writes are refused',
    }),
    found: Type.Integer({ description: 'Losses since this process began' }),
    refilled: Type.Integer({ description: 'Of these, settled from the memory of this replica' }),
    adopted: Type.Integer({
      description: 'Of these, settled by taking what the store holds, giving up commits of this replica',
    }),
    givenUp: Type.Integer({ description: 'Commits that this replica had applied and gave up with that' }),
    surplus: Type.Union([Type.String(), Type.Null()], {
      description: 'The file that the newest of these were written to, or the copy of the state that holds them',
    }),
  },
  { description: 'The store came back with less than this replica knows, or with another history' },
);

const RefusalSchema = Type.Object(
  {
    reason: Type.Enum([...REFUSAL_REASONS]),
    since: Type.String({ format: 'date-time', description: 'From when on no write was taken' }),
    message: Type.String({ description: 'What was met' }),
    advice: Type.String({ description: 'What to do about it' }),
  },
  { description: 'Writes are refused with 503. Reads go on' },
);

const AuditLogSchema = Type.Object(
  {
    firstId: Type.Integer({ description: 'The oldest audit event that is kept; the next one when none is' }),
    since: Type.Union([Type.String(), Type.Null()], { description: 'When it happened' }),
    kept: Type.Integer({ description: 'Audit events that are kept' }),
    bytes: Type.Union([Type.Integer(), Type.Null()], {
      description: 'What they take in the store; null while that is being found out',
    }),
    bytesPerYear: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'What a year of them would take, at the pace of those that are kept; null when they are of less than a day',
    }),
  },
  { description: 'The trail of audit events, as of the last look at it (`EVENTS_TRIM_EVERY_MS`)' },
);

const CountsSchema = Type.Object(
  {
    waitingNames: Type.Integer({ description: 'Names with counts that no store has yet' }),
    waitingSince: Type.Union([Type.String(), Type.Null()], { description: 'Since when there are any' }),
    refused: Type.Integer({
      description: 'How often a count was not taken: too much waited, or its name was too long',
    }),
    dropped: Type.Integer({ description: 'How often a name found no place in its bucket' }),
    lost: Type.Integer({
      description: 'Names with counts that the store took and has lost since, as far as it was noticed',
    }),
  },
  { description: 'What is only counted: what a crash would lose now, and what is lost since this process began' },
);

export const readyFacts = {
  access: { permission: 'NONE' },
  summary: 'Whether requests should be sent here: state is loaded, and the service is not stopping',
  description:
    'A replica that cannot write is ready: it serves reads from memory, and refuses writes with 503. `writesRefused` tells why, and what to do.',
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
        writesRefused: Type.Union([RefusalSchema, Type.Null()], { description: 'Null: writes are taken' }),
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
    const told = status.reachable ? 'reachable' : `unreachable since ${status.since}: ${status.reason}`;
    const { current: writesRefused } = refusals;
    if (!isReady()) {
      const isAway = membership && !membership.follower.joined;
      const why = writesRefused ? ` Writes are refused: ${writesRefused.message}. ${writesRefused.advice}` : '';
      return unavailable(`The service is starting or stopping.${isAway ? ` The store is ${told}.` : ''}${why}`, 1);
    }
    return ok({
      health: 'GOOD',
      status: 'READY',
      revision: state.seq,
      store: told,
      writesRefused,
      ...(membership && replicaFacts(membership.status())),
      ...(auditLogRetention.status && { events: presentAuditLog(auditLogRetention.status) }),
      counts: counts.risk,
    });
  },
} as const;

const ready = route('GET /ready', { ...readyFacts, operationId: 'getReady' });

const backstageReady = route('GET /internal-backstage/ready', { ...readyFacts, operationId: 'getBackstageReady' });

function replicaFacts({ stale, lag, loss, losses, onLoss }: MembershipStatus) {
  return { stale, lag, losses: { policy: onLoss, current: loss && `${loss.kind}: ${loss.message}`, ...losses } };
}

function presentAuditLog({ firstId, since, count, sizeBytes, yearBytes }: AuditLogStatus) {
  return { firstId, since, kept: count, bytes: sizeBytes, bytesPerYear: yearBytes };
}

export const operationalEndpoints = [health, ready, backstageHealth, backstageReady];
