import { gaugeEndpoints } from '../api/gauges.ts';
import { operationalEndpoints } from '../api/operational.ts';
import { readEndpoints } from '../api/relayed-registry.ts';
import type { Services } from '../api/services.ts';
import type { Source } from '../api/source.ts';
import { assert } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Rejection } from '../base/rejection.ts';
import type { AnyEndpoint } from '../http/endpoint.ts';
import { createRegistry } from '../http/registry.ts';
import type { RequestWaits } from '../http/request-waits.ts';
import type { Caller } from '../model/caller.ts';
import { Gate } from './gate.ts';
import { MirrorQueue } from './mirror-queue.ts';
import type { RelayOptions } from './relay-options.ts';
import { ScopeKeeper } from './scope-keeper.ts';
import { TokenKeeper } from './token-keeper.ts';
import { Upstream } from './upstream.ts';

interface Running {
  readonly upstream: Upstream;
  readonly scopes: ScopeKeeper;
  readonly tokens: TokenKeeper;
  readonly gate: Gate;
}

/** Stands between SDKs and an upstream service: has its flags and tokens, and goes on with them when it is away (docs/relay.md). */
export class Relay implements Source {
  readonly endpoints: readonly AnyEndpoint<Services>[] = createRegistry([
    operationalEndpoints,
    gaugeEndpoints,
    readEndpoints,
  ]);
  readonly #options: RelayOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #running: Running | undefined;

  constructor(options: RelayOptions, clock: Clock, logger: Logger) {
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Requests come only after `begin`. */
  readonly waits: RequestWaits = {
    await: (minRevision: string | undefined, caller: Caller | Rejection, authorization: string) => {
      assert(this.#running, 'a request came before the relay began');
      return this.#running.gate.await(minRevision, caller, authorization);
    },
  };

  async begin({ writer, replica, state }: Services): Promise<void> {
    const clock = this.#clock;
    const logger = this.#logger;
    const { tokens: named, pretrusted, revalidateMs, refreshMs } = this.#options;
    const upstream = new Upstream(this.#options);
    const common = { upstream, writer, clock, logger };
    const tokens = new TokenKeeper({ ...common, state, tokens: named, pretrusted, revalidateMs });
    const queue = new MirrorQueue(writer);
    const refused = (secret: string) => tokens.suspect(secret);
    const scopes = new ScopeKeeper({ ...common, replica, queue, refreshMs, refused });
    this.#running = { upstream, scopes, tokens, gate: new Gate({ tokens, scopes, state }) };
    await tokens.begin();
    scopes.begin();
  }

  async close(): Promise<void> {
    if (!this.#running) return;
    const { upstream, scopes, tokens } = this.#running;
    await Promise.all([scopes.close(), tokens.close()]);
    upstream.close();
  }
}
