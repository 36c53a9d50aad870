import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';
import { type ServiceProcess, spawnService, untilReady } from '../support/programs/process.ts';
import { RedisServer, type RedisServerOptions } from '../support/programs/redis.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN } from '../support/service.ts';

/** Short, so that outages of a test end soon. Everything else has its default. */
export const QUICK = {
  REDIS_COMMAND_TIMEOUT_MS: '500',
  REDIS_WRITE_TIMEOUT_MS: '1500',
  REDIS_POLL_MS: '250',
  REDIS_GRACE_MS: '300',
};

/** Replicas reach the same revision at once, unless other processes need the processors. */
const LEVEL_MS = 100_000;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
  readonly json: any;
}

export type Environment = Readonly<Record<string, string>>;

/** One replica, whose directory outlives the service. */
export abstract class Replica {
  readonly directory = mkdtempSync(join(tmpdir(), 'burgee-replica-'));
  abstract readonly url: string;
  /** What the service logged since it started. */
  abstract readonly log: string;
  /** Starts it (again), and waits until it serves. */
  abstract start(environment?: Environment): Promise<void>;
  abstract end(): Promise<void>;
  /** Ends it, and removes its directory. */
  abstract dispose(): Promise<void>;

  async call(method: string, path: string, options: { body?: unknown; headers?: Environment } = {}): Promise<Answer> {
    const { body, headers } = options;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: path.startsWith('/api/admin') ? ADMIN_TOKEN : CLIENT_TOKEN,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect is an answer, too.
      redirect: 'manual',
      signal: AbortSignal.timeout(15_000),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  }

  poll(headers: Environment = {}): Promise<Answer> {
    return this.call('GET', '/api/client/features', { headers });
  }

  ready(): Promise<Answer> {
    return this.call('GET', '/ready');
  }

  create(name: string, headers: Environment = {}): Promise<Answer> {
    return this.call('POST', '/api/admin/projects/default/features', { body: { name }, headers });
  }
}

/** A replica that is a process of the built service. Its port outlives the process. */
export class ReplicaProcess extends Replica {
  readonly port: number;
  readonly #environment: Environment;
  #service: ServiceProcess | undefined;

  constructor(port: number, environment: Environment) {
    super();
    this.port = port;
    this.#environment = environment;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get log(): string {
    return this.#service?.log() ?? '';
  }

  get exited(): Promise<number | null> {
    return this.#service?.exited ?? Promise.resolve(null);
  }

  get pid(): number | undefined {
    return this.#service?.child.pid;
  }

  /** Starts it (again). Does not wait until it serves. */
  async spawn(environment: Environment = {}): Promise<void> {
    const env = { ...QUICK, ...this.#environment, ...environment, HTTP_PORT: String(this.port) };
    this.#service = await spawnService(this.directory, env);
  }

  async start(environment: Environment = {}): Promise<void> {
    await this.spawn(environment);
    await this.untilReady();
  }

  async untilReady(): Promise<void> {
    if (this.#service) await untilReady(this.#service);
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#service?.end(signal);
  }

  signal(signal: NodeJS.Signals): void {
    this.#service?.child.kill(signal);
  }

  async dispose(): Promise<void> {
    this.signal('SIGCONT');
    await this.end('SIGKILL');
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const newProcess = async (environment: Environment) => new ReplicaProcess(await freePort(), environment);

/** Some replicas on one real Redis. */
export class Fleet<R extends Replica = ReplicaProcess> {
  readonly redis: RedisServer;
  readonly replicas: R[] = [];
  readonly #create: (environment: Environment) => Promise<R>;

  constructor(redis: RedisServer, create: (environment: Environment) => Promise<R>) {
    this.redis = redis;
    this.#create = create;
  }

  /** Replicas that are processes. */
  static async start(count: number, environment: Environment = {}, redis: RedisServerOptions = {}): Promise<Fleet> {
    return Fleet.of(await RedisServer.start(redis)).startAll(count, environment);
  }

  static of(redis: RedisServer): Fleet {
    return new Fleet(redis, newProcess);
  }

  async startAll(count: number, environment: Environment = {}): Promise<this> {
    for (let index = 0; index < count; index++) await this.add(environment);
    await Promise.all(this.replicas.map((replica) => replica.start()));
    return this;
  }

  /** Adds a replica without starting it. */
  async add(environment: Environment = {}): Promise<R> {
    const replica = await this.#create({ REDIS_URL: this.redis.url, ...environment });
    this.replicas.push(replica);
    return replica;
  }

  at(index: number): R {
    const replica = this.replicas[index % this.replicas.length];
    if (!replica) throw new Error(`there is no replica ${index}`);
    return replica;
  }

  /** Resolves when all of them have the revision of the log's tip, and return the same to clients and admins. */
  async expectAgreement(
    redis = this.redis,
  ): Promise<{ readonly revision: number; readonly names: ReadonlySet<string> }> {
    const revision = await this.#untilLevel(redis);
    const contents = await Promise.all(this.replicas.map((replica) => untilSignal(replica)));
    for (const other of contents) expect(other).toEqual(contents[0]);
    const names = new Set<string>(
      JSON.parse(contents[0]?.features ?? '{}').features.map(({ name }: Answer['json']) => name),
    );
    return { revision, names };
  }

  async dispose(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.dispose()));
    await this.redis.dispose();
  }

  async #untilLevel(redis: RedisServer): Promise<number> {
    let seen = '';
    const deadlineMs = performance.now() + LEVEL_MS;
    while (performance.now() < deadlineMs) {
      const answers = await Promise.all(this.replicas.map((replica) => replica.ready()));
      const tip = Number((await redis.command('HGET', '{burgee}:meta', 'tip')).trim());
      const revisions = answers.map(({ json }) => json?.revision);
      seen = `${revisions.join()} of ${tip}: ${answers.map(({ text }) => text).join()}`;
      if (revisions.every((revision) => revision === tip)) return tip;
      await sleep(25);
    }
    throw new Error(`the replicas do not reach the same revision: ${seen}`);
  }
}

/** On a busy machine Redis may be unreachable for another moment: until then, a replica cannot return the events. */
async function untilSignal(replica: Replica): Promise<Contents> {
  for (const deadlineMs = performance.now() + LEVEL_MS; ; await sleep(100)) {
    const { answers, contents } = await readAll(replica);
    const failed = answers.find(({ status }) => status !== 200);
    if (!failed) return contents;
    if (failed.status !== 503 || performance.now() > deadlineMs) expect(failed.status, failed.text).toBe(200);
  }
}

type Contents = Awaited<ReturnType<typeof readAll>>['contents'];

/** Everything that one replica returns, in a form that can be compared with another replica. */
async function readAll(replica: Replica) {
  const json = (path: string) => replica.call('GET', path);
  const [plain, advanced, features, tokens, events, state] = await Promise.all([
    replica.poll(),
    replica.poll({ 'unleash-client-spec': '5.0.0' }),
    json('/api/admin/projects/default/features'),
    json('/api/admin/api-tokens'),
    json('/api/admin/events?limit=100'),
    json('/api/admin/projects'),
  ]);
  const contents = {
    etags: [plain, advanced].map(({ headers }) => headers.get('etag')),
    lists: [plain, advanced].map(({ text }) => text),
    features: features.text,
    // These requests use some tokens, and each replica learns of that at another time.
    tokens: tokens.text.replaceAll(/"seenAt":[^,]*,/g, ''),
    events: events.text,
    projects: state.text,
  };
  return { answers: [plain, advanced, features, tokens, events, state], contents };
}
