import { networkOf } from '../../base/network/caller-network.ts';
import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { secretOf, UNAUTHENTICATED } from '../../http/authentication.ts';
import type { BeginWait, RequestWaits, WaitingHead } from '../../http/request-waits.ts';
import type { Caller, Scope } from '../../model/caller.ts';
import { scopeOf } from '../../model/project-list.ts';
import type { State } from '../../state/state.ts';
import type { ScopeKeeper } from './scope-keeper.ts';
import type { TokenKeeper } from './token-keeper.ts';
import { TOO_MANY } from './unknown-tokens.ts';

/** Maximum number of requests that wait for flags: in total, and with one token. */
const WAITING_MAX = 1_000;
const WAITING_EACH_MAX = 100;

const FLAGS_NOT_RECEIVED = unavailable(
  'The flags for your token have not been received from the upstream service yet.',
  2,
);

interface GateParts {
  readonly tokens: TokenKeeper;
  readonly scopes: ScopeKeeper;
  readonly state: State;
  /** How long a request waits for upstream's answer. */
  readonly waitMs: number;
}

/**
 * Delays requests until they can be answered. A request with a new token waits until upstream has validated the token; every request waits until the
 * flags of its token have been received. No request is answered from an empty state, because SDKs would accept an empty list as the real state.
 */
export class Gate implements RequestWaits {
  readonly #parts: GateParts;
  readonly #quota = new PerKeyQuota<string>(WAITING_MAX, WAITING_EACH_MAX);

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  await(caller: Caller | Rejection, head: WaitingHead): Rejection | BeginWait | undefined {
    const { tokens, scopes } = this.#parts;
    if (caller instanceof Rejection) {
      if (caller !== UNAUTHENTICATED) return undefined;
      const secret = secretOf(head.authorization);
      return tokens.mayBeKnownUpstream(secret)
        ? (address) => this.#waitForToken(secret, networkOf(address, 48))
        : undefined;
    }
    if (caller.kind !== 'client' && caller.kind !== 'frontend') return undefined;
    const { scope } = caller;
    if (scopes.isReady(scope)) return undefined;
    return () => this.#withQuota(caller.token?.secret ?? '', () => this.#waitForFlags(scope));
  }

  #withQuota(secret: string, wait: () => Promise<Rejection | undefined>): Rejection | Promise<Rejection | undefined> {
    if (!this.#quota.take(secret)) return TOO_MANY;
    return wait().finally(() => this.#quota.give(secret));
  }

  async #waitForToken(secret: string, network: string): Promise<Rejection | undefined> {
    const problem = await this.#parts.tokens.learn(secret, network);
    const token = this.#parts.state.get('apiTokens', secret);
    if (problem || !token) return problem;
    const scope = scopeOf(token);
    return this.#parts.scopes.isReady(scope) ? undefined : this.#withQuota(secret, () => this.#waitForFlags(scope));
  }

  async #waitForFlags(scope: Scope): Promise<Rejection | undefined> {
    const { scopes, waitMs } = this.#parts;
    if (!scopes.isReachable(scope)) return notReachable(scope);
    return (await scopes.wait(scope, waitMs)) ? undefined : FLAGS_NOT_RECEIVED;
  }
}

/** The rejection for a frontend token whose scope no client token covers: upstream sends flags only for client tokens. */
function notReachable({ environment, projects }: Scope): Rejection {
  const which = projects === null ? 'all projects' : `the projects ${[...projects].join(', ')}`;
  return new Rejection(
    'NetworkAuthenticationRequired',
    `This relay has no client token for ${which} of the environment ${environment}, and cannot request their flags: ` +
      'add such a token to TOKENS, or let an SDK with such a token call this relay first.',
  );
}
