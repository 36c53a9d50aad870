import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Replica } from '../engine/replica.ts';
import type { CompiledFlag } from '../evaluation/compile.ts';
import type { HashEncoding } from '../evaluation/hashing.ts';
import type { FetchMode } from '../model/fetch-mode.ts';
import { ClientViews } from './client/client-views.ts';
import { ExpensiveFlags } from './flags/expensive-flags.ts';
import { FlagViews } from './flags/flag-views.ts';
import { FrontendStreams } from './frontend/frontend-streams.ts';
import { TokenView } from './token-view.ts';
import { UserCredentials } from './user-credentials.ts';
import { keepInStep } from './view.ts';

/** The views that several features use. A view that only one feature needs is a part of that feature. */
export interface Views {
  readonly tokens: TokenView;
  readonly userCredentials: UserCredentials;
  readonly clientViews: ClientViews;
  readonly flagViews: FlagViews;
  /** The streams of browsers. */
  readonly frontendStreams: FrontendStreams;
}

interface ViewOptions {
  /** Number of commits whose changes for SDKs are remembered. */
  readonly deltaCommits: number;
  /** How SDKs are asked to get changes in environments that do not state it. */
  readonly defaultFetchMode: FetchMode | undefined;
  /** How a text becomes the bytes to hash in evaluation. */
  readonly hashEncoding: HashEncoding;
  /** The limit for the cost of one evaluation of a flag, in µs. */
  readonly evaluationLimitUs: number;
}

/** Derives the views from the replica's state and keeps them in step with it. */
export function deriveViews(
  replica: Replica,
  clock: Clock,
  logger: Logger,
  { deltaCommits, defaultFetchMode, hashEncoding, evaluationLimitUs }: ViewOptions,
): Views {
  const { state } = replica;
  const tokens = new TokenView(state, clock);
  const clientViews = new ClientViews(state, deltaCommits, defaultFetchMode);
  const expensiveFlags = new ExpensiveFlags(evaluationLimitUs, logger);
  const onCompiled = (flag: CompiledFlag, environment: string) => expensiveFlags.check(flag, environment);
  const flagViews = new FlagViews(state, { hashEncoding, onCompiled });
  tokens.onReleased((scope) => clientViews.release(scope));
  // The token view comes first: it releases the lists of scopes without tokens before the client views update their lists.
  keepInStep(replica, [tokens, clientViews, flagViews]);
  const userCredentials = new UserCredentials(state, clock);
  const frontendStreams = new FrontendStreams({ state, clientViews, flagViews, clock, logger });
  return { tokens, userCredentials, clientViews, flagViews, frontendStreams };
}
