import { expect } from 'vitest';
import { personalTokenOf, putUser } from '../support/people.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, startTestService, type TestService } from '../support/service.ts';

const VIEWER = 3;
const ADMIN = 1;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: it is checked against a schema of the contract; cases reach into it freely
  readonly body: any;
}

interface Sending {
  readonly body?: unknown;
  /** Null for none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service in which somebody made everything that the contract's operations are about, over HTTP, and what calls it. */
export class ContractWorld {
  readonly service: TestService;
  /** Of a user who may do everything. */
  readonly userToken: string;
  /** Of another one, who reviews. */
  readonly reviewerToken: string;
  /** Of a user who may read and nothing else. */
  readonly viewerToken: string;
  readonly userId: number;
  readonly ids: Record<string, number> = {};

  private constructor(service: TestService, userId: number, tokens: readonly [string, string, string]) {
    const [userToken, reviewerToken, viewerToken] = tokens;
    this.service = service;
    this.userId = userId;
    this.userToken = userToken;
    this.reviewerToken = reviewerToken;
    this.viewerToken = viewerToken;
  }

  static async create(): Promise<ContractWorld> {
    const service = await startTestService();
    await putUser(service, 101, { name: 'Erna', email: 'erna@example.org', rootRole: ADMIN });
    await putUser(service, 103, { name: 'Rosa', email: 'rosa@example.org', rootRole: ADMIN });
    // Without an email: the contract has none that is null.
    await putUser(service, 104, { name: 'Erwin', username: 'erwin', email: null, rootRole: VIEWER });
    await putUser(service, 102, { name: 'Viktor', email: 'viktor@example.org', rootRole: VIEWER });
    const tokens = await Promise.all([101, 103, 102].map((id) => personalTokenOf(service, id)));
    const world = new ContractWorld(service, 101, tokens as [string, string, string]);
    await world.fill();
    return world;
  }

  close(): Promise<void> {
    return this.service.close();
  }

  /** Sends one request, with an admin token unless told otherwise. */
  async send(method: string, path: string, { body, token = ADMIN_TOKEN, headers = {} }: Sending = {}): Promise<Answer> {
    const response = await fetch(this.service.url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** As `send`, as an SDK. */
  poll(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('GET', path, { token: CLIENT_TOKEN, headers });
  }

  /** As `send`, for what has to succeed before a case can be made. */
  async made(method: string, path: string, sending: Sending = {}): Promise<Answer> {
    const answer = await this.send(method, path, sending);
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer;
  }

  /** A flag `shop`, in use in every way that the contract shows, its segment, a service account and a token. */
  private async fill(): Promise<void> {
    const admin = '/api/admin';
    const flag = `${admin}/projects/default/features`;
    const constraint = {
      contextName: 'userId',
      operator: 'IN',
      values: ['7'],
      inverted: false,
      caseInsensitive: false,
    };
    const segment = { name: 'testers', description: 'They look first', constraints: [constraint] };
    this.ids.segment = (await this.made('POST', `${admin}/segments`, { body: segment, token: this.userToken })).body.id;
    for (const name of ['shop', 'parent'])
      await this.made('POST', flag, { body: { name, type: 'release' }, token: this.userToken });
    const variants = [
      {
        name: 'blue',
        weight: 500,
        weightType: 'variable',
        stickiness: 'default',
        payload: { type: 'string', value: 'b' },
      },
      { name: 'red', weight: 500, weightType: 'variable', stickiness: 'default' },
    ];
    const strategy = {
      name: 'flexibleRollout',
      title: 'Everybody',
      parameters: { rollout: '100', stickiness: 'default', groupId: 'shop' },
      constraints: [constraint],
      segments: [this.ids.segment],
      variants,
    };
    const inDevelopment = `${flag}/shop/environments/development`;
    await this.made('POST', `${inDevelopment}/strategies`, { body: strategy });
    await this.made('POST', `${inDevelopment}/on`, {});
    await this.made('POST', `${flag}/parent/environments/development/on`, {});
    await this.made('PUT', `${flag}/shop/variants`, { body: variants });
    await this.made('POST', `${admin}/features/shop/tags`, { body: { type: 'simple', value: 'checkout' } });
    await this.made('POST', `${flag}/shop/dependencies`, { body: { feature: 'parent' } });
    const account = { name: 'robot', username: 'robot', rootRole: VIEWER };
    this.ids.account = (await this.made('POST', `${admin}/service-account`, { body: account })).body.id;
    const token = { tokenName: 'sdk', type: 'client', environment: 'development', projects: ['default'] };
    await this.made('POST', `${admin}/api-tokens`, { body: token });
  }
}
