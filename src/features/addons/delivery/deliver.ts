import { SERVICE } from '../../../base/asking/asker.ts';
import { inSlices, Slicer } from '../../../base/yield-control.ts';
import type { DeliveryState } from '../addon.ts';
import { ADDON_LIMITS } from '../limits.ts';
import type { Parameters, Provider, SentEvent } from '../providers/provider.ts';
import type { Destinations } from './destinations.ts';
import { type Message, type Posted, post } from './post.ts';
import { signatureOf } from './signature.ts';

/** The result of one attempt to deliver an event. */
export interface Outcome {
  readonly state: DeliveryState;
  readonly details: string;
  /** Status of the last answer. */
  readonly status: number | null;
  /** The shortest pause that the destination asked for, in milliseconds. */
  readonly retryAfterMs: number;
  /** The event can never be sent, also not in a later attempt: the next one follows. */
  readonly isSkipped?: true;
}

/** Statuses with which a destination says that it would refuse the same message again. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 406, 410, 413, 414, 415, 422]);

/** What happened to one message. */
interface Sent {
  readonly posted: Posted;
  /** Undefined: delivered. */
  readonly problem: string | undefined;
  readonly isFinal: boolean;
}

/** What an attempt needs beside the event. */
interface Means {
  readonly destinations: Destinations;
  /** Ends the attempt at its deadline. */
  readonly signal: AbortSignal;
}

/**
 * Sends an event to all targets of an add-on. `delivered` contains the targets of earlier attempts, which do not get the event again; targets that get
 * it now are added.
 */
export async function deliver(
  event: SentEvent,
  provider: Provider,
  parameters: Parameters,
  { delivered, ...means }: Means & { readonly delivered: Set<string> },
): Promise<Outcome> {
  // Work of the service: no request waits for integrations.
  const messages = await inSlices(provider.messages(event, parameters), Slicer.of(SERVICE));
  if (typeof messages === 'string') return skipped(messages);
  if (messages.some(({ body }) => Buffer.byteLength(body) > 2 * ADDON_LIMITS.addonMessageBytes.max))
    return skipped('The message is too long.');
  if (messages.length === 0) return succeeded('No channel is named for this event.', null);
  const results: Sent[] = [];
  for (const message of messages) {
    if (message.target !== null && delivered.has(message.target)) continue;
    const sent = await send(message, provider, means);
    results.push(sent);
    if (sent.problem === undefined && message.target !== null) delivered.add(message.target);
  }
  return outcomeOf(results, messages.length);
}

async function send(message: Message, provider: Provider, { destinations, signal }: Means): Promise<Sent> {
  const posted = await post(signed(message), destinations, signal);
  if (posted.status === null) return { posted, problem: posted.problem, isFinal: false };
  const { status } = posted;
  if (status < 200 || status > 299) {
    const redirects = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
    const problem = `The destination answered with the status ${status}.${redirects}`;
    return { posted, problem, isFinal: FINAL_STATUSES.has(status) };
  }
  const problem = provider.failureOf?.(posted);
  return { posted, problem, isFinal: problem !== undefined };
}

function signed(message: Message): Message {
  const { signing, body, headers } = message;
  if (!signing || typeof body !== 'string') return message;
  return { ...message, headers: { ...headers, 'webhook-signature': signatureOf(signing, body) } };
}

/**
 * The outcome of all messages. If some targets got the event and the others refused it finally, it is delivered with errors: targets with a problem of
 * their own do not stop the others.
 */
function outcomeOf(results: readonly Sent[], targets: number): Outcome {
  const failures = results.filter(({ problem }) => problem !== undefined);
  const status = results.at(-1)?.posted.status ?? null;
  if (failures.length === 0) {
    return succeeded(targets > 1 ? `Delivered to ${targets} channels.` : 'Delivered.', status);
  }
  const problems = [...new Set(failures.map(({ problem }) => problem))].join(' ');
  const ofTargets = targets > 1 ? `${failures.length} of ${targets} channels did not get the event. ` : '';
  const isPartly = failures.length < targets && failures.every(({ isFinal }) => isFinal);
  const retryAfterMs = Math.max(0, ...failures.map(({ posted }) => retryAfterOf(posted)));
  const details = shortened(ofTargets + problems);
  return { state: isPartly ? 'successWithErrors' : 'failed', details, status, retryAfterMs };
}

function retryAfterOf(posted: Posted): number {
  return posted.status === null ? 0 : 1_000 * (posted.retryAfterS ?? 0);
}

function succeeded(details: string, status: number | null): Outcome {
  return { state: 'success', details, status, retryAfterMs: 0 };
}

/** An attempt that failed before anything was sent. */
export function failed(problem: string): Outcome {
  return { state: 'failed', details: shortened(problem), status: null, retryAfterMs: 0 };
}

/** An event of which no message can be made. */
export function skipped(problem: string): Outcome {
  return { ...failed(`${problem} The event is not sent.`), isSkipped: true };
}

function shortened(text: string): string {
  return text.slice(0, ADDON_LIMITS.addonAttemptText.max);
}
