import type { SourceToken } from '../mirror/mirror-tokens.ts';
import type { AnswerMemoryLimits } from './answer-memory.ts';

/** The options of a relay, whatever their variables are called. */
export interface RelayOptions {
  /** The upstream's address, without `/api` and without a slash at its end. */
  readonly upstreamUrl: string;
  /** Tokens that upstream is asked about at the start, so that their flags are there before the first SDK is. */
  readonly tokens: readonly string[];
  /** Tokens that upstream is never asked about. */
  readonly pretrusted: readonly SourceToken[];
  /** Callers' tokens are taken only if those above see as much. */
  readonly isStrict: boolean;
  /** How often upstream is asked for what has changed, where it does not stream. */
  readonly refreshMs: number;
  /** How often reports of SDKs are sent upstream. */
  readonly metricsMs: number;
  /** How often upstream is asked whether tokens still exist. */
  readonly revalidateMs: number;
  /** How long a connection to upstream may take to be there: with TLS, until both have agreed. */
  readonly connectMs: number;
  /** How long upstream may take from then on to answer, and to go on with an answer. */
  readonly timeoutMs: number;
  /** What upstream's answers may take in memory. */
  readonly answers: AnswerMemoryLimits;
  /** Whether upstream is asked to stream changes. */
  readonly isStreaming: boolean;
  /** The header that tokens are sent upstream in, in lower case. */
  readonly authHeader: string;
  /** Sent with every request upstream. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: UpstreamTls;
  /** What this relay calls itself upstream. */
  readonly appName: string;
  readonly instanceId: string;
}

/** How upstream is known, and how this relay shows who it is. All are contents, not names of files. */
export interface UpstreamTls {
  /** Certificates that are trusted beside the usual ones, as PEM. */
  readonly ca?: string;
  /** This relay's certificate and key, as PEM. */
  readonly certificate?: string;
  readonly key?: string;
  /** Both in one, as PKCS #12. */
  readonly identity?: Uint8Array;
  readonly passphrase?: string;
  /** Certificates are not checked. */
  readonly isUnverified?: boolean;
}
