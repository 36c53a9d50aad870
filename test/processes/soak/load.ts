import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../../../bench/support/service.ts';

const LARGE_VALUES = 10_000;
/** How long a stream is read: long enough for some changes. */
const STREAM_MS = 400;
const flags = '/api/admin/projects/default/features';

/** Repeats everything that a service does all day. What it creates is deleted again, so that the state does not grow. */
export class Load {
  readonly #url: string;
  /** Number of requests and failures, by kind. */
  readonly counts: Record<string, number> = {};
  #stopped = false;

  constructor(url: string) {
    this.#url = url;
  }

  async prepare(): Promise<void> {
    const values = Array.from({ length: LARGE_VALUES }, (_, index) => `user-${index}`);
    await this.#admin('POST', flags, { name: 'large' });
    const constraints = [{ contextName: 'userId', operator: 'IN', values }];
    const strategy = { name: 'flexibleRollout', parameters: { rollout: '50' }, constraints };
    await this.#admin('POST', `${flags}/large/environments/development/strategies`, strategy);
  }

  /** Runs until `stop`. A failure is counted and the request is tried again: the store may be unreachable for a while. */
  async run({ consoles }: { readonly consoles: boolean }): Promise<void> {
    const kinds = {
      poll: () => this.#polls(),
      frontend: () => this.#frontend(),
      bulk: () => this.#bulk(),
      toggle: () => this.#toggles(),
      token: () => this.#tokenChurn(),
      flag: () => this.#flagChurn(),
      list: () => this.#lists(),
      stream: () => this.#streams(),
      ...(consoles && { people: () => this.#people() }),
      report: () => this.#reports(),
    };
    await Promise.all(Object.entries(kinds).map(([kind, work]) => this.#repeat(kind, work)));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #repeat(kind: string, work: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      try {
        await work();
        this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      } catch {
        this.counts[`${kind} failed`] = (this.counts[`${kind} failed`] ?? 0) + 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  #etag = '';

  async #polls(): Promise<void> {
    for (const ifNoneMatch of ['', this.#etag]) {
      const headers = { authorization: CLIENT_TOKEN, 'if-none-match': ifNoneMatch };
      const answer = await fetch(`${this.#url}/api/client/features`, { headers });
      await answer.arrayBuffer();
      this.#etag = answer.headers.get('etag') ?? '';
    }
  }

  async #frontend(): Promise<void> {
    const userId = `user-${Math.floor(Math.random() * 1e9)}`;
    await this.#ask('POST', '/api/frontend', FRONTEND_TOKEN, { context: { userId, properties: { region: userId } } });
  }

  async #bulk(): Promise<void> {
    const contexts = Array.from({ length: 50 }, (_, index) => ({ userId: `user-${index}` }));
    await this.#ask('POST', '/api/client/evaluate', CLIENT_TOKEN, { contexts });
  }

  #on = false;

  async #toggles(): Promise<void> {
    this.#on = !this.#on;
    await this.#admin('POST', `${flags}/large/environments/development/${this.#on ? 'on' : 'off'}`);
  }

  #count = 0;

  async #tokenChurn(): Promise<void> {
    const body = { type: 'client', tokenName: `soak-${this.#count++}`, environment: 'development', projects: ['*'] };
    const { secret } = (await this.#admin('POST', '/api/admin/api-tokens', body)) as { secret: string };
    try {
      await this.#ask('GET', '/api/client/features', secret);
    } finally {
      await this.#admin('DELETE', `/api/admin/api-tokens/${encodeURIComponent(secret)}`);
    }
  }

  async #flagChurn(): Promise<void> {
    const name = `soak-${this.#count++}`;
    await this.#admin('POST', flags, { name });
    await this.#admin('POST', `${flags}/${name}/environments/development/on`);
    await this.#admin('DELETE', `${flags}/${name}`);
    await this.#admin('DELETE', `/api/admin/archive/${name}`);
  }

  async #lists(): Promise<void> {
    await this.#admin('GET', '/api/admin/events');
    await this.#admin('GET', `${flags}/large`);
    await this.#admin('POST', '/api/admin/playground', { environment: 'development', context: { appName: 'soak' } });
  }

  /** Streams of SDKs and of browsers: some are read, some are not, and all are aborted. */
  async #streams(): Promise<void> {
    const userId = `user-${this.#count++}`;
    await Promise.all([
      this.#listen('/api/client/streaming', CLIENT_TOKEN, true),
      this.#listen('/api/client/streaming', CLIENT_TOKEN, false),
      this.#listen(`/api/frontend/streaming?userId=${userId}`, FRONTEND_TOKEN, true),
      this.#listen('/api/frontend/streaming?userId=everybody', FRONTEND_TOKEN, false),
      this.#ask('GET', '/api/client/delta', CLIENT_TOKEN),
    ]);
  }

  #indexRevision = '';

  /** What consoles do: they follow the changes and their propagation, keep the index of flags, and look at the past. Some stop reading. */
  async #people(): Promise<void> {
    const query = this.#indexRevision === '' ? '' : `?since=${encodeURIComponent(this.#indexRevision)}`;
    await Promise.all([
      this.#listen('/api/admin/changes', ADMIN_TOKEN, true),
      this.#listen('/api/admin/changes', ADMIN_TOKEN, false),
      this.#listen('/api/admin/propagation', ADMIN_TOKEN, true),
      this.#index(query),
      this.#index(''),
      this.#admin('GET', '/api/admin/projects/default/features/large/history'),
      this.#admin('GET', '/api/admin/search/features?query=a&facets=state,type'),
    ]);
  }

  async #index(query: string): Promise<void> {
    const headers = { authorization: ADMIN_TOKEN };
    const answer = await fetch(`${this.#url}/api/admin/flag-index${query}`, { headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`GET /api/admin/flag-index${query}: ${answer.status}`);
    this.#indexRevision = answer.headers.get('burgee-index-revision') ?? '';
  }

  async #listen(path: string, authorization: string, reads: boolean): Promise<void> {
    const gone = new AbortController();
    const response = await fetch(this.#url + path, { headers: { authorization }, signal: gone.signal });
    setTimeout(() => gone.abort(), STREAM_MS);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
    if (reads) await response.text().catch(() => {});
    else await new Promise((resolve) => gone.signal.addEventListener('abort', resolve));
  }

  async #reports(): Promise<void> {
    const [appName, instanceId] = [`app-${this.#count % 3}`, `instance-${this.#count++ % 3}`];
    const now = new Date().toISOString();
    await this.#ask('POST', '/api/client/register', CLIENT_TOKEN, {
      appName,
      instanceId,
      interval: 15_000,
      started: now,
      strategies: ['default'],
      sdkVersion: 'unleash-client-node:6.0.0',
    });
    const toggles = { large: { yes: 3, no: 1, variants: {} }, unheardOf: { yes: 1, no: 0 } };
    const bucket = { start: now, stop: now, toggles };
    await this.#ask('POST', '/api/client/metrics', CLIENT_TOKEN, { appName, instanceId, bucket });
  }

  #admin(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.#ask(method, path, ADMIN_TOKEN, body);
  }

  async #ask(method: string, path: string, authorization: string, body?: unknown): Promise<unknown> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : undefined;
  }
}
