import { messageOf } from '../../base/remote-error.ts';
import { REASON_HEADER } from '../../http/stated-by-request.ts';

const TIMEOUT_MS = 20_000;
/** The personal tokens of the demo do not expire while it runs. */
const FOREVER = '2099-01-01T00:00:00.000Z';

/** A request of the demo that the service refused. */
export class DemoRefusal extends Error {
  override readonly name = 'DemoRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request and reads its JSON. @throws DemoRefusal */
export async function request(url: string, method: string, path: string, { headers, body, signal }: Sent) {
  const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])];
  const answer = await fetch(`${url}${path}`, {
    method,
    redirect: 'error',
    signal: AbortSignal.any(signals),
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (answer.status >= 400)
    throw new DemoRefusal(answer.status, `${method} ${path}: ${answer.status} ${messageOf(text)}`);
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: answer.status, headers: answer.headers, body: isJson && text !== '' ? JSON.parse(text) : undefined };
}

/** One of the people of the demo. Every change of the demo is a request to the admin API, with the person's own token. */
export class Person {
  readonly username: string;
  readonly id: number;
  readonly #url: string;
  readonly #token: string;
  readonly #afterChange: () => void;

  private constructor(url: string, username: string, id: number, token: string, afterChange: () => void) {
    this.#url = url;
    this.username = username;
    this.id = id;
    this.#token = token;
    this.#afterChange = afterChange;
  }

  /** Signs on with the password, and creates a personal token. `afterChange` is called after each request of the person. */
  static async signOn(url: string, username: string, password: string, afterChange: () => void): Promise<Person> {
    const login = await request(url, 'POST', '/auth/simple/login', { body: { username, password } });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const token = await request(url, 'POST', '/api/admin/user/tokens', {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      body: { description: 'Changes that the demo makes', expiresAt: FOREVER },
    });
    return new Person(url, username, login.body.id, token.body.secret, afterChange);
  }

  /** Sends a request to a path after `/api/admin`; `reason` is shown in the history. @throws DemoRefusal */
  // biome-ignore lint/suspicious/noExplicitAny: the service validates requests and answers
  async send(method: string, path: string, body?: unknown, reason?: string, signal?: AbortSignal): Promise<any> {
    const headers: Record<string, string> = { authorization: this.#token };
    if (reason !== undefined) headers[REASON_HEADER] = encodeURIComponent(reason);
    const answer = await request(this.#url, method, `/api/admin${path}`, { headers, body, signal });
    this.#afterChange();
    return answer.body;
  }
}
