import Type from 'typebox';
import { invalid, notAllowed, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, longCommand } from '../../../engine/command.ts';
import type { StateReader } from '../../../state/collections.ts';
import { type Signal, SignalEndpoint, SignalToken } from '../endpoints/signal-endpoint.ts';
import { SIGNAL_LIMITS } from '../limits.ts';
import type { ActionRun, ActionSet } from './action-set.ts';
import { passes } from './filters.ts';
import { LOOP_WINDOW_MS } from './running.ts';

const MINUTE_MS = 60_000;

/** The answer to a signal without a token of the endpoint. It does not show whether the endpoint exists. */
export const UNKNOWN_SENDER = new Rejection(
  'AuthenticationRequired',
  'There is no signal endpoint with this name and token. Send a token of the endpoint as `Authorization: Bearer <token>`.',
);

export const ENDPOINT_OFF = notAllowed('The signal endpoint is switched off.');

/**
 * Accepts a signal, and starts an execution of each action set of the endpoint whose filters it passes. The signal and the executions are one commit:
 * every execution of an accepted signal is durable before the sender gets an answer.
 */
export const receiveSignal = longCommand({
  name: 'receive-signal',
  input: Type.Object({
    endpointId: SignalEndpoint.properties.id,
    tokenId: SignalToken.properties.id,
    /** JSON. */
    payload: Type.String({ maxLength: SIGNAL_LIMITS.signalBytes.max }),
  }),
  *decide(context, { endpointId, tokenId, payload }) {
    const { draft, now } = context;
    const endpoint = draft.get('signalEndpoints', String(endpointId));
    if (!endpoint?.tokens.some(({ id }) => id === tokenId)) return UNKNOWN_SENDER;
    if (!endpoint.enabled) return ENDPOINT_OFF;
    const tooMany = rateProblem(draft, endpoint, now);
    if (tooMany) return tooMany;
    const content = contentOf(payload);
    if (content instanceof Rejection) return content;
    const bytes = Buffer.byteLength(payload);
    const isKept = bytes <= SIGNAL_LIMITS.signalBytesKept.max;
    const signal: Signal = {
      id: draft.next('signals'),
      endpointId,
      tokenId,
      createdAt: now,
      bytes,
      payload: isKept ? payload : null,
    };
    draft.put('signals', signal);
    dropOldSignals(context, endpointId);
    yield;
    const sets = [...draft.lookup('actionSetsByEndpoint', String(endpointId))];
    for (const set of sets.sort((left, right) => left.id - right.id)) {
      if (set.enabled && (yield* passes(set.filters, content, Date.parse(now)))) startRun(context, set, signal);
      yield;
    }
    return signal;
  },
});

function contentOf(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return invalid('A signal must be JSON.');
  }
}

/** All signals of the last minute are listed: an endpoint lists more signals than it accepts in a minute. */
function rateProblem(reader: StateReader, { id }: SignalEndpoint, now: string): Rejection | undefined {
  const since = Date.parse(now) - MINUTE_MS;
  const recent = [...reader.lookup('signalsByEndpoint', String(id))]
    .map(({ createdAt }) => Date.parse(createdAt))
    .filter((at) => at > since);
  const { max } = SIGNAL_LIMITS.signalsPerMinute;
  if (recent.length < max) return undefined;
  const waitS = Math.max(1, Math.ceil((Math.min(...recent) - since) / 1_000));
  return new Rejection(
    'TooManyRequestsError',
    `A signal endpoint accepts at most ${max} signals in a minute.`,
    [],
    waitS,
  );
}

function dropOldSignals({ draft }: CommandContext, endpointId: number): void {
  const listed = [...draft.lookup('signalsByEndpoint', String(endpointId))];
  const excess = listed.length - SIGNAL_LIMITS.signalsKept.max;
  if (excess <= 0) return;
  for (const { id } of listed.sort((left, right) => left.id - right.id).slice(0, excess))
    draft.remove('signals', String(id));
}

function startRun(context: CommandContext, set: ActionSet, { id: signalId }: Signal): void {
  const { draft, now } = context;
  const runs = [...draft.lookup('actionRunsBySet', String(set.id))].sort((left, right) => left.id - right.id);
  const refusal = runsProblem(runs, now);
  const newest = runs.at(-1);
  // A flood of signals must not displace the executions that were made.
  if (refusal !== null && newest && newest.refusal !== null) {
    draft.put('actionRuns', { ...newest, repeated: newest.repeated + 1, updatedAt: now });
    return;
  }
  const state = refusal === null ? ('started' as const) : ('not started' as const);
  draft.put('actionRuns', {
    id: draft.next('actionRuns'),
    actionSetId: set.id,
    project: set.project,
    signalId,
    createdAt: now,
    updatedAt: now,
    state: refusal === null ? 'started' : 'failed',
    refusal,
    repeated: 0,
    actions: set.actions.map((action) => ({ ...action, state, details: null, isChange: false })),
  });
  const excess = runs.length + 1 - SIGNAL_LIMITS.actionRunsKept.max;
  // Recent switches stay, because the limit of switches counts them.
  const isRecent = ({ updatedAt }: ActionRun) => Date.parse(updatedAt) > Date.parse(now) - LOOP_WINDOW_MS;
  const hasSwitched = ({ actions }: ActionRun) => actions.some(({ isChange }) => isChange);
  const ended = runs.filter((run) => run.state !== 'started' && !(hasSwitched(run) && isRecent(run)));
  for (const { id } of ended.slice(0, Math.max(0, excess))) draft.remove('actionRuns', String(id));
}

/** Why no further execution of the set is started; null if one is. */
function runsProblem(runs: readonly ActionRun[], now: string): string | null {
  const since = Date.parse(now) - MINUTE_MS;
  const { max } = SIGNAL_LIMITS.actionRunsPerMinute;
  const started = runs.filter(({ refusal }) => refusal === null);
  if (started.filter(({ createdAt }) => Date.parse(createdAt) > since).length >= max)
    return `The action set was executed ${max} times in the last minute: more executions are not made.`;
  if (started.filter(({ state }) => state === 'started').length >= max)
    return `${max} executions of the action set wait: more executions are not made.`;
  return null;
}
