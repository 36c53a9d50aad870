import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Rejection } from '../base/rejection.ts';
import type { Config } from '../config.ts';
import type { Components } from '../engine/components.ts';
import type { Membership } from '../engine/membership.ts';
import type { Replica } from '../engine/replica.ts';
import type { Snapshotter } from '../engine/snapshotter.ts';
import type { WriteRefusals } from '../engine/write-refusals.ts';
import type { Writer } from '../engine/writer.ts';
import type { HashEncoding } from '../evaluation/hashing.ts';
import type { AnyEndpoint } from '../http/endpoint.ts';
import type { FrontKind } from '../http/front/front.ts';
import type { InnerCalls } from '../http/inner-calls.ts';
import type { RevisionWaits } from '../http/min-revision.ts';
import type { DescribedRoutes } from '../http/openapi.ts';
import type { RequestStats } from '../http/request-stats.ts';
import type { RequestWaits } from '../http/request-waits.ts';
import type { Caller } from '../model/caller.ts';
import type { State } from '../state/state.ts';
import type { Store } from '../stores/store.ts';
import type { Views } from '../views/views.ts';

/** What features use of the HTTP server: its statistics, and its operations. */
interface ServerPort {
  readonly stats: RequestStats;
  readonly streams: number;
  roomForStreams(caller: Caller): number;
  readonly front: FrontKind;
  readonly innerCalls: Pick<InnerCalls<Services>, 'call'>;
}

/** Another service that may know tokens which are unknown here: the upstream of a relay, or the Unleash whose tokens a server adopts. */
export interface TokenAuthority {
  /** Whether the other service may know a token that is unknown here. */
  mayKnow(secret: string): boolean;
  /**
   * Stores the token if the other service knows it. `network`: the address of the caller. Resolves with a rejection if it is not known yet whether the
   * token exists.
   */
  adopt(secret: string, network: string): Promise<Rejection | undefined>;
}

/** The adoption of tokens by a server (`products/server/token-adoption.ts`). */
interface TokenAdopter extends TokenAuthority {
  /** The waits of the server: those of `others`, and the wait of a request with an unknown token. */
  waits(others: RequestWaits | undefined): RequestWaits;
}

/** The services that the process provides to every feature. Features read from `state` and the views. Only `writer` changes the state. */
interface Ports extends Views {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns a uniformly distributed random number in [0, 1). */
  readonly random: () => number;
  readonly state: State;
  readonly replica: Replica;
  readonly writer: Writer;
  readonly store: Store;
  /** The membership of this process among the replicas of a shared store; null if the process does not share its store. */
  readonly membership: Membership | null;
  /** The waits for revisions, with their quotas; undefined if the process does not share its store. */
  readonly revisionWaits: RevisionWaits | undefined;
  /** Whether writes are accepted and, if not, why. */
  readonly refusals: WriteRefusals;
  readonly snapshotter: Snapshotter;
  /** How a text becomes the bytes to hash in evaluation. */
  readonly hashEncoding: HashEncoding;
  /** The source of the flags and tokens; undefined if the service owns them. */
  readonly source: FlagSource | undefined;
  /** Asks another service about unknown tokens, and stores those that it knows; undefined if no option names such a service. */
  readonly tokenAdoption: TokenAdopter | undefined;
  /** Parts of features that the source or a test provides instead of the usual parts. */
  readonly replacements: Partial<FeatureParts>;
  /** Components that are started and closed with the service. */
  readonly components: Components;
  /** The routes of all features with their descriptions, for the OpenAPI document. */
  describedRoutes(): Promise<readonly DescribedRoutes<Services>[]>;
  /** Returns the HTTP server. */
  http(): ServerPort;
  /** Whether the service is ready for requests: the state is loaded and the service is not stopping. */
  ready(): boolean;
}

/** Long-lived parts of features. A feature adds its parts by declaration merging, in its `parts.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: its members are merged in.
export interface FeatureParts {}

/** The services that endpoints use. */
export interface Services extends Ports, FeatureParts {}

/**
 * The source of the flags and tokens of a service that does not own them: another service or a file. The source is the only writer of that service's
 * state (`products/mirror/mirror.ts`, `products/mirror/mirror-tokens.ts`); all code that reads the state works as usual (docs/decisions/relay.md).
 */
export interface FlagSource {
  /** The routes of a service with this source. */
  readonly endpoints: readonly AnyEndpoint<Services>[];
  /** Conditions for which requests wait, in addition to revisions. */
  readonly waits?: RequestWaits;
  /** The service that knows the tokens, if it can be asked about them. */
  readonly tokenAuthority?: TokenAuthority;
  /** Parts that replace the usual parts of features. */
  readonly parts?: Partial<FeatureParts>;
  /** Called once, after the state was loaded from the store and before requests are served. If it rejects, the service does not start. */
  begin(services: Services): Promise<void>;
  /** Stops the source, which then delivers no more changes. Reports that were not sent yet are sent, or stored for the next start. */
  close(): Promise<void>;
}
