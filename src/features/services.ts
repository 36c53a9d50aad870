import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Config } from '../config.ts';
import type { Components } from '../engine/components.ts';
import type { Membership } from '../engine/membership.ts';
import type { Replica } from '../engine/replica.ts';
import type { Snapshotter } from '../engine/snapshotter.ts';
import type { WriteRefusals } from '../engine/write-refusals.ts';
import type { Writer } from '../engine/writer.ts';
import type { HashedBytes } from '../evaluation/hashing.ts';
import type { AnyEndpoint } from '../http/endpoint.ts';
import type { DescribedRoutes } from '../http/openapi.ts';
import type { RequestStats } from '../http/request-stats.ts';
import type { RequestWaits } from '../http/request-waits.ts';
import type { State } from '../state/state.ts';
import type { Store } from '../stores/store.ts';
import type { Views } from '../views/views.ts';

/** What the server tells of itself. */
interface ServerStats {
  readonly figures: RequestStats;
  readonly streams: number;
}

/** What the process gives every feature. Reading goes to `state` and the views, changing goes to `writer`, nothing else changes anything. */
interface Ports extends Views {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly state: State;
  readonly replica: Replica;
  readonly writer: Writer;
  readonly store: Store;
  /** This process's part among the replicas of a shared store; null with a store of its own. */
  readonly membership: Membership | null;
  /** Whether writes are taken, and why not. */
  readonly refusals: WriteRefusals;
  readonly snapshotter: Snapshotter;
  /** Those that evaluation hashes of texts. */
  readonly hashedBytes: HashedBytes;
  /** Where the flags come from, if they are not the service's own. */
  readonly source: Source | undefined;
  /** Parts of features that somebody else made: the source, or a test. */
  readonly replaced: Partial<FeatureParts>;
  /** What is started and closed with the service. */
  readonly components: Components;
  /** The HTTP interface of all features, for the document that describes it. */
  documented(): Promise<readonly DescribedRoutes<Services>[]>;
  /** The server that takes requests. */
  http(): ServerStats;
  /** Whether requests should be sent here: state is loaded and the service is not stopping. */
  ready(): boolean;
}

/** Long-lived parts of features. A feature adds its own by declaration merging, in its `parts.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: its members are merged in.
export interface FeatureParts {}

/** What endpoints work with. */
export interface Services extends Ports, FeatureParts {}

/**
 * Where a service has its flags and tokens from that are not its own: another service, a file. It is the one writer of that service's state
 * (`products/mirror/mirror.ts`, `products/mirror/mirror-tokens.ts`); everything that reads the state works as it does everywhere (docs/decisions/relay.md).
 */
export interface Source {
  /** The routes of such a service. */
  readonly endpoints: readonly AnyEndpoint<Services>[];
  /** What its requests wait for, beside revisions. */
  readonly waits?: RequestWaits;
  /** Parts of features that it has in place of the usual ones. */
  readonly parts?: Partial<FeatureParts>;
  /** Called once, with the state as the store has it, before requests are served. What it rejects with keeps the service from starting. */
  begin(services: Services): Promise<void>;
  /** No more is brought. Reports that wait are sent, or kept. */
  close(): Promise<void>;
}
