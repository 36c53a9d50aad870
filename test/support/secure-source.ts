import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SecureToken {
  readonly text: string;
  readonly selector: string;
  readonly type: 'client' | 'frontend' | 'backend' | 'admin';
  readonly environment: string;
  readonly projects: readonly string[];
  readonly tokenName: string;
  readonly expiresAt: string | null;
}

/**
 * Answers about tokens as Unleash 8.2 with secure tokens does, for faults that a real Unleash cannot have on request. `test/peer/adoption-peer.ts` has
 * the real one.
 */
export class SecureSource {
  readonly adminToken = '*:*.admin-of-the-source';
  readonly tokens: SecureToken[] = [];
  /** The tokens of each request about tokens. */
  readonly questions: string[][] = [];
  /** Number of requests for the list of tokens. */
  listed = 0;
  /** If set, every request is answered with this status. */
  status = 0;
  /** If set, answers wait for it. */
  hold: Promise<unknown> | undefined;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { url = '' } = request;
      if (url === '/edge/validate') this.questions.push(JSON.parse(body).tokens);
      else this.listed++;
      await this.hold;
      const answer = url === '/edge/validate' ? this.#validated(JSON.parse(body).tokens) : this.#list();
      const isAllowed = url === '/edge/validate' || request.headers.authorization === this.adminToken;
      const status = this.status || (isAllowed ? 200 : 401);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ tokens: answer }));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The options of a service that adopts tokens of this source. */
  get options() {
    return { ADOPT_TOKENS_FROM: this.url, ADOPT_TOKENS_ADMIN_TOKEN: this.adminToken };
  }

  add(fields: Partial<SecureToken> = {}): SecureToken {
    const token = { type: 'client', environment: 'development', projects: ['*'], expiresAt: null, ...fields } as const;
    const selector = randomBytes(16).toString('base64url');
    const [project] = token.projects.length === 1 ? token.projects : ['[]'];
    const text = `${project}:${token.environment}.v2_${selector}_${randomBytes(32).toString('base64url')}`;
    const added = { tokenName: `token ${this.tokens.length + 1} of the source`, ...token, selector, text };
    this.tokens.push(added);
    return added;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #validated(asked: readonly string[]) {
    return this.tokens
      .filter(({ text }) => asked.includes(text))
      .map(({ text: token, type, projects, environment }) => ({ token, type, projects, environment }));
  }

  #list() {
    return this.tokens.map(({ selector: secret, tokenName, type, projects, environment, expiresAt }) => ({
      secret,
      tokenName,
      type,
      projects,
      environment,
      secure: true,
      ...(expiresAt !== null && { expiresAt }),
    }));
  }
}
