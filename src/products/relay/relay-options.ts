import type { SourceToken } from '../mirror/mirror-tokens.ts';
import type { AnswerMemoryLimits } from './answer-memory.ts';

/** The options of a relay, independent of the names of their variables. */
export interface RelayOptions {
  /** The upstream's address, without `/api` and without a slash at its end. */
  readonly upstreamUrl: string;
  /** Tokens that are validated at the start, so that their flags are available before the first SDK calls. */
  readonly tokens: readonly string[];
  /** Tokens that are never validated by upstream. */
  readonly pretrusted: readonly SourceToken[];
  /** Tokens of callers are accepted only if the tokens above cover their scope. */
  readonly isStrict: boolean;
  /** Interval of requests for changes, if upstream does not stream. */
  readonly refreshMs: number;
  /** Interval of sending reports of SDKs upstream. */
  readonly metricsMs: number;
  /** Interval of validating known tokens. */
  readonly revalidateMs: number;
  /** Maximum time to connect to upstream, including the TLS handshake. */
  readonly connectMs: number;
  /** Maximum time from the established connection until the answer begins, and between two pieces of the answer. */
  readonly timeoutMs: number;
  /** Memory limits for upstream's answers. */
  readonly answers: AnswerMemoryLimits;
  /** Whether the relay requests a stream of changes. */
  readonly isStreaming: boolean;
  /** The header with the token in requests to upstream, in lower case. */
  readonly authHeader: string;
  /** Additional headers for every request to upstream. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: UpstreamTls;
  /** This relay's name in reports to upstream. */
  readonly appName: string;
  readonly instanceId: string;
}

/** How upstream is authenticated, and how this relay authenticates itself. All values are contents, not file names. */
export interface UpstreamTls {
  /** Certificates that are trusted in addition to the usual ones, as PEM. */
  readonly ca?: string;
  /** This relay's certificate and key, as PEM. */
  readonly certificate?: string;
  readonly key?: string;
  /** This relay's certificate and key together, as PKCS #12. */
  readonly identity?: Uint8Array;
  readonly passphrase?: string;
  /** Whether upstream's certificate is accepted without a check. */
  readonly isUnverified?: boolean;
}
