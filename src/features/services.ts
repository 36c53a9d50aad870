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

/** What the server reports about itself. */
interface ServerStats {
  readonly stats: RequestStats;
  readonly streams: number;
}

/** What the process provides to every feature. Reads go to `state` and the views, writes go to `writer`; nothing else changes the state. */
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
  /** The membership of this process among the replicas of a shared store; null with its own store. */
  readonly membership: Membership | null;
  /** Whether writes are accepted and, if not, why. */
  readonly refusals: WriteRefusals;
  readonly snapshotter: Snapshotter;
  /** The bytes of texts that evaluation hashes. */
  readonly hashedBytes: HashedBytes;
  /** Where the flags come from, if the service does not own them. */
  readonly source: Source | undefined;
  /** Parts of features that the source or a test provides. */
  readonly replaced: Partial<FeatureParts>;
  /** Components that are started and closed with the service. */
  readonly components: Components;
  /** The HTTP interface of all features, for the document that describes it. */
  documented(): Promise<readonly DescribedRoutes<Services>[]>;
  /** The server that takes requests. */
  http(): ServerStats;
  /** Whether the service is ready for requests: the state is loaded and the service is not stopping. */
  ready(): boolean;
}

/** Long-lived parts of features. A feature adds its own by declaration merging, in its `parts.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: its members are merged in.
export interface FeatureParts {}

/** The services that endpoints use. */
export interface Services extends Ports, FeatureParts {}

/**
 * The source of the flags and tokens of a service that does not own them: another service or a file. The source is the only writer of that service's
 * state (`products/mirror/mirror.ts`, `products/mirror/mirror-tokens.ts`); all code that reads the state works as usual (docs/decisions/relay.md).
 */
export interface Source {
  /** The routes of a service with this source. */
  readonly endpoints: readonly AnyEndpoint<Services>[];
  /** What requests wait for, in addition to revisions. */
  readonly waits?: RequestWaits;
  /** Parts of features that replace the usual ones. */
  readonly parts?: Partial<FeatureParts>;
  /** Called once, after the state was loaded from the store and before requests are served. If it rejects, the service does not start. */
  begin(services: Services): Promise<void>;
  /** Stops the source: it delivers no more changes. Waiting reports are sent or kept. */
  close(): Promise<void>;
}
