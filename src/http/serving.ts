import type { HttpResponse } from 'uWebSockets.js';
import type { Logger } from '../base/logger.ts';
import { unavailable } from '../base/rejection.ts';
import type { Authenticator } from './authentication.ts';
import { encodeDefect } from './encoding.ts';
import type { Exchanges } from './exchanges.ts';
import type { RevisionWaits } from './min-revision.ts';
import { AMBIGUOUS_LENGTH } from './request.ts';
import { sendText } from './send.ts';

/** What requests are served with, whatever the kind of their route. */
export interface Serving<Services> {
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly exchanges: Exchanges;
  readonly logger: Logger;
  readonly frontendOrigins: readonly string[];
  readonly bodyLimitBytes: number;
  readonly importBodyLimitBytes: number;
  /** Where requests wait that name a revision; without it, the header means nothing and is not looked at. */
  readonly revisions: RevisionWaits | undefined;
}

/** What is needed to answer, whoever is served. */
type Answering = Pick<Serving<unknown>, 'exchanges' | 'logger'>;

export const STARTING = unavailable('The service is starting.', 1);

/** For requests that state their length twice, before an exchange was begun. */
export function refuseAmbiguous({ exchanges }: Answering, response: HttpResponse): void {
  exchanges.refuseAndClose(exchanges.begin(response, false), AMBIGUOUS_LENGTH);
}

/** For callbacks that have failed before they answered or began an exchange. */
export function sendDefect(
  { exchanges, logger }: Answering,
  response: HttpResponse,
  error: unknown,
  operationId: string,
  headOnly: boolean,
): void {
  const answer = encodeDefect(error, operationId, logger);
  try {
    sendText(response, answer, headOnly, exchanges.draining);
  } catch {
    // It was answered, or aborted, before it failed.
  }
}
