import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Replica } from '../engine/replica.ts';
import type { HashedBytes } from '../evaluation/hashing.ts';
import { ClientViews } from '../views/client/client-views.ts';
import { FlagViews } from '../views/flags/flag-views.ts';
import { FrontendStreams } from '../views/frontend/frontend-streams.ts';
import { TokenView } from '../views/token-view.ts';
import { UserCredentials } from '../views/user-credentials.ts';
import { keepInStep } from '../views/view.ts';
import { FrontendOrigins } from './instance/frontend-origin-view.ts';
import { ProjectFigureView } from './projects/figures.ts';
import type { FlagUse } from './usage/flag-use.ts';

/** Everything that is derived from the state. A new view is made and listed here. */
export interface Views {
  readonly tokens: TokenView;
  readonly userCredentials: UserCredentials;
  readonly clientViews: ClientViews;
  readonly flagViews: FlagViews;
  /** Whose pages may call the frontend API. */
  readonly frontendOrigins: FrontendOrigins;
  readonly projectFigures: ProjectFigureView;
  /** What browsers are told as it changes. */
  readonly frontendStreams: FrontendStreams;
}

interface ViewOptions {
  /** Those that the environment names. */
  readonly frontendOrigins: readonly string[];
  /** Commits that are remembered by what they changed for SDKs. */
  readonly deltaCommits: number;
  /** Those that evaluation hashes of texts. */
  readonly hashedBytes: HashedBytes;
}

/** Derives the views from the replica's state and keeps them in step with it. */
export function deriveViews(
  replica: Replica,
  clock: Clock,
  flagUse: () => FlagUse,
  logger: Logger,
  { frontendOrigins: origins, deltaCommits, hashedBytes }: ViewOptions,
): Views {
  const { state } = replica;
  const tokens = new TokenView(state, clock);
  const clientViews = new ClientViews(state, deltaCommits);
  const flagViews = new FlagViews(state, hashedBytes);
  const projectFigures = new ProjectFigureView(state, clock, flagUse);
  tokens.onReleased((scope) => clientViews.release(scope));
  // Tokens first: the scopes they release are then known to the lists.
  keepInStep(replica, [tokens, clientViews, flagViews, projectFigures]);
  const userCredentials = new UserCredentials(state, clock);
  const frontendOrigins = new FrontendOrigins(state, origins);
  const frontendStreams = new FrontendStreams({ state, clientViews, flagViews, clock, logger });
  return { tokens, userCredentials, clientViews, flagViews, projectFigures, frontendOrigins, frontendStreams };
}
