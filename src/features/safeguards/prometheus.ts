import { FileProblem, readBoundedFile } from '../../base/bounded-file.ts';
import { boundedFetch } from '../../base/network/bounded-fetch.ts';
import { ConfigError } from '../../base/options.ts';
import type { Config } from '../../config.ts';

/** Maximum time for one query, in milliseconds. Prometheus gets it too, and then stops its work. */
export const QUERY_TIMEOUT_MS = 5_000;
/** An answer with one number has about 150 bytes, and as many for its labels. */
export const ANSWER_BYTES_MAX = 64 * 1024;
const TOKEN_BYTES_MAX = 16 * 1024;
/** Maximum number of characters of a text of Prometheus that people are shown. */
const SHOWN_MAX = 200;

/** What a query gave: one finite number, or why it did not, as a sentence without secrets. */
export type QueryAnswer = { readonly value: number } | { readonly problem: string };

/** The Prometheus that the options name. @throws ConfigError */
export function prometheusOf({ prometheusUrl, prometheusTokenFile }: Config): Prometheus | null {
  if (prometheusUrl === '') {
    if (prometheusTokenFile !== '') throw new ConfigError('PROMETHEUS_TOKEN_FILE needs PROMETHEUS_URL');
    return null;
  }
  const { username, password, search, hash } = new URL(prometheusUrl);
  if (username || password)
    throw new ConfigError('PROMETHEUS_URL must not contain a password: put a token in PROMETHEUS_TOKEN_FILE');
  if (search || hash) throw new ConfigError('PROMETHEUS_URL must be an address without a query');
  return new Prometheus(prometheusUrl, prometheusTokenFile);
}

/**
 * A Prometheus, or another server with its HTTP API for queries. Queries are sent in the body to one address: no query can choose another one. Redirects
 * are not followed, so that the token stays with that address.
 */
export class Prometheus {
  readonly #url: string;
  readonly #tokenFile: string;

  constructor(address: string, tokenFile: string) {
    this.#url = `${address.replace(/\/+$/, '')}/api/v1/query`;
    this.#tokenFile = tokenFile;
  }

  /** Asks the query now. Never rejects. */
  async ask(query: string, signal: AbortSignal): Promise<QueryAnswer> {
    const deadline = AbortSignal.timeout(QUERY_TIMEOUT_MS);
    try {
      const response = await boundedFetch(
        this.#url,
        {
          method: 'POST',
          headers: { accept: 'application/json', ...(await this.#credential()) },
          // Two series are enough to see that it is not one. Versions before 2.54 do not know the limit: the bound of bytes holds for them.
          body: new URLSearchParams({ query, timeout: `${QUERY_TIMEOUT_MS}ms`, limit: '2' }),
          redirect: 'manual',
          signal: AbortSignal.any([signal, deadline]),
        },
        ANSWER_BYTES_MAX,
      );
      return answerOf(response.status, await response.text());
    } catch (error) {
      if (deadline.aborted) return { problem: `Prometheus did not answer in ${QUERY_TIMEOUT_MS / 1_000} s.` };
      return { problem: problemOf(error) };
    }
  }

  /** The file is read for each query: tokens in files are replaced while the service runs. */
  async #credential(): Promise<Readonly<Record<string, string>>> {
    if (this.#tokenFile === '') return {};
    const token = (await readBoundedFile(this.#tokenFile, TOKEN_BYTES_MAX)).toString('utf8').trim();
    if (!/^[\x21-\x7e]+$/.test(token)) throw new FileProblem('it does not contain one token');
    return { authorization: `Bearer ${token}` };
  }
}

function problemOf(error: unknown): string {
  if (error instanceof FileProblem) return `The file of PROMETHEUS_TOKEN_FILE cannot be used: ${error.message}.`;
  const { message, cause } = error as Error;
  if (message.endsWith('is too large')) return `The answer has more than ${ANSWER_BYTES_MAX} bytes.`;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return `Prometheus cannot be asked: ${code ?? 'the connection failed'}.`;
}

function answerOf(status: number, text: string): QueryAnswer {
  const body = parsed(text);
  if (status >= 300 && status < 400) return { problem: `The address answers with a redirect (${status}).` };
  if (body?.status === 'error') return { problem: `Prometheus refused the query: ${shown(body.error)}` };
  if (status !== 200) return { problem: `Prometheus answered with the status ${status}.` };
  if (body?.status !== 'success') return { problem: 'The answer is not one of Prometheus.' };
  const { resultType, result } = membersOf(body.data);
  if (resultType === 'scalar') return numberOf(result);
  if (resultType !== 'vector' || !Array.isArray(result))
    return { problem: 'The query must give an instant vector with one series, or a scalar.' };
  if (result.length === 0) return { problem: 'The query gives no series.' };
  if (result.length > 1) return { problem: 'The query gives several series: sum them up, or select one.' };
  return numberOf(membersOf(result[0]).value);
}

/** `sample`: a time and the value as text. */
function numberOf(sample: unknown): QueryAnswer {
  const text: unknown = Array.isArray(sample) ? sample[1] : undefined;
  const value = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { value } : { problem: `The value is not a number: ${shown(text)}` };
}

type Members = Readonly<Record<string, unknown>>;

function parsed(text: string): Members | undefined {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function shown(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, SHOWN_MAX) : '(nothing)';
}
