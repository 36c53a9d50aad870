import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/features/registry.ts';
import { Random } from '../../evaluation/random.ts';
import { RawConnection } from '../../support/http/raw-http.ts';
import { plainRequest } from '../../support/http/request.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  startTestService,
  type TestService,
} from '../../support/service.ts';
import { stateDigest } from '../../support/state-digest.ts';
import { atDepth } from '../../support/tiers/depth.ts';

const SEED = Number(process.env.FUZZ_SEED ?? 20_260_101);
const REQUESTS = atDepth({ quick: 300, full: 4_000 });

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ onDisk: true, env: { HANDLER_DEADLINE_MS: '1000' } });
  await service.call('createFeature', { params: { projectId: 'default' }, body: { name: 'target' } });
});

afterAll(async () => {
  await service.close();
  await rm(service.directory, { recursive: true, force: true });
});

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

class Garbage extends Random {
  bytes(length: number): string {
    return Array.from({ length }, () => String.fromCharCode(this.below(256))).join('');
  }

  word(): string {
    return this.pick([
      'target',
      'default',
      'development',
      '*',
      '',
      '.',
      '..',
      '%',
      '%00',
      '%2f',
      '%ff',
      '__proto__',
      'constructor',
      'toString',
      'null',
      '-1',
      '0',
      '1',
      '9'.repeat(30),
      'NaN',
      'true',
      '\u00e9',
      '\u0000',
      'x'.repeat(200),
      '$' + '{jndi:x}',
      "' or 1=1",
      '<b>',
      this.bytes(this.below(20)),
    ]);
  }

  path(): string {
    const route = this.pick(endpoints).path.replace(/:[A-Za-z]+/g, () => this.word());
    if (this.chance(0.7)) return route;
    return this.pick([
      `${route}/`,
      `/${route}`,
      route.slice(0, -1),
      `${route}/../x`,
      `/${this.word()}/${this.word()}`,
      route.toUpperCase(),
      this.word(),
    ]);
  }

  query(): string {
    if (this.chance(0.5)) return '';
    const pairs = Array.from(
      { length: this.below(6) },
      () => `${this.pick(['tag', 'tag[]', 'project', 'namePrefix', 'limit', 'offset', this.word()])}=${this.word()}`,
    );
    return `?${pairs.join('&')}`;
  }

  /** A JSON value, mostly of parts that bodies contain, in the wrong fields. */
  json(depth = 0): unknown {
    const kind = this.below(depth > 4 ? 6 : 9);
    if (kind < 2) return this.word();
    if (kind === 2) return this.below(1_000) - 500;
    if (kind === 3) return this.pick([true, false]);
    if (kind === 4) return null;
    if (kind === 5) return this.pick(['IN', 'flexibleRollout', '2026-01-01T00:00:00Z', 1e308, 1.5, [], {}]);
    if (kind === 6) return Array.from({ length: this.below(5) }, () => this.json(depth + 1));
    const names = [
      'name',
      'type',
      'project',
      'environment',
      'constraints',
      'values',
      'value',
      'operator',
      'contextName',
      'segments',
      'variants',
      'weight',
      'parameters',
      'context',
      'features',
      'data',
      'strategies',
      'appName',
      this.word(),
    ];
    return Object.fromEntries(Array.from({ length: this.below(6) }, () => [this.pick(names), this.json(depth + 1)]));
  }

  /** A value that mostly conforms to the schema, made of odd parts. */
  conforming(schema: Schema, depth = 0): unknown {
    if (this.chance(0.02)) return this.json(3);
    if (schema.enum) return this.pick(schema.enum);
    if ('const' in schema) return schema.const;
    if (schema.anyOf) return this.conforming(this.pick(schema.anyOf), depth);
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => this.conforming(part, depth)));
    if (schema.type === 'array') {
      const length = schema.items && depth < 6 ? this.below(4) : 0;
      return Array.from({ length }, () => this.conforming(schema.items as Schema, depth + 1));
    }
    if (schema.type === 'object') return this.#object(schema, depth);
    if (schema.type === 'string') return this.#text(schema);
    if (schema.type === 'boolean') return this.chance(0.5);
    if (schema.type === 'null') return null;
    if (schema.type === 'integer' || schema.type === 'number') {
      return this.pick([schema.minimum ?? 0, schema.maximum ?? 2, 1, 2, 1000, 2 ** 31, Number.MAX_SAFE_INTEGER]);
    }
    return this.json(3);
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const members = Object.entries(schema.properties ?? {}).filter(
      ([name]) => schema.required?.includes(name) || this.chance(0.5),
    );
    const result = members.map(([name, property]): [string, unknown] => [name, this.conforming(property, depth + 1)]);
    const more = schema.additionalProperties;
    if (typeof more === 'object') result.push([this.known(), this.conforming(more, depth + 1)]);
    return Object.fromEntries(result.filter(([name]) => name !== '__proto__'));
  }

  #text(schema: Schema): string {
    if (schema.format === 'date-time')
      return this.pick([
        '2026-01-01T00:00:00Z',
        '2099-12-31T23:59:59.999+14:00',
        '0000-01-01T00:00:00Z',
        '9999-12-31T23:59:59-12:00',
      ]);
    return this.chance(0.8) ? this.known() : this.word();
  }

  /** Names that exist or may exist. */
  known(): string {
    return this.pick([
      'target',
      'target',
      'other',
      'default',
      'default',
      'development',
      'production',
      '1',
      '2',
      'userId',
      'simple',
      'client',
      'flexibleRollout',
      '50',
      '__proto__',
      'constructor',
      '*',
      'a',
      'x~y',
      '1.2.3',
      '10.0.0.0/8',
      '^a+$',
      '(((',
      'v1',
      '-5',
    ]);
  }

  body(): string {
    if (this.chance(0.6)) return JSON.stringify(this.json());
    const text = JSON.stringify(this.json());
    return this.pick([
      text.slice(0, this.below(text.length)),
      `${text}${this.bytes(3)}`,
      this.bytes(this.below(500)),
      '['.repeat(this.below(2_000)),
      '',
    ]);
  }

  headers(length: number): string[] {
    const headers = [`authorization: ${this.pick([CLIENT_TOKEN, FRONTEND_TOKEN, this.word()])}`];
    if (this.chance(0.8))
      headers.push(
        `content-type: ${this.pick(['application/json', 'text/plain', 'application/x-ndjson', this.word()])}`,
      );
    if (this.chance(0.9))
      headers.push(
        `content-length: ${this.chance(0.9) ? length : this.pick(['-1', '9'.repeat(20), 'x', '0', String(length + 5)])}`,
      );
    if (this.chance(0.05)) headers.push('transfer-encoding: chunked');
    if (this.chance(0.05)) headers.push(`content-length: ${this.below(100)}`);
    if (this.chance(0.2))
      headers.push(
        `${this.pick(['if-none-match', 'accept-encoding', 'unleash-client-spec', 'x-forwarded-for', 'expect', 'connection', 'upgrade', 'range'])}: ${this.word()}`,
      );
    if (this.chance(0.05)) headers.push(this.bytes(this.below(50)));
    return headers;
  }

  request(): string {
    if (this.chance(0.05)) return this.bytes(this.below(300));
    const body = this.body();
    const method = this.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', this.word()]);
    const line = `${method} ${this.path()}${this.query()} ${this.chance(0.95) ? 'HTTP/1.1' : this.word()}`;
    const text = [line, 'host: x', ...this.headers(Buffer.byteLength(body, 'latin1')), '', body].join('\r\n');
    if (this.chance(0.9)) return text;
    // One byte changed, somewhere.
    const at = this.below(text.length);
    return text.slice(0, at) + this.bytes(1) + text.slice(at + 1);
  }
}

/** Sends the bytes, whole or in parts; waits for the start of an answer or disconnects at once. */
async function send(text: string, garbage: Garbage): Promise<void> {
  const connection = await RawConnection.open(service.url);
  const cut = garbage.chance(0.2) ? garbage.below(text.length) : text.length;
  const stays = garbage.chance(0.7);
  connection.write(Buffer.from(text.slice(0, cut), 'latin1'));
  if (cut < text.length) connection.write(Buffer.from(text.slice(cut), 'latin1'));
  if (stays) {
    const patience = new Promise((resolve) => setTimeout(resolve, 15));
    await Promise.race([
      new Promise((resolve) => connection.socket.once('data', resolve)),
      connection.closed,
      patience,
    ]);
  }
  connection.destroy();
}

describe(`${REQUESTS} requests of garbage, seed ${SEED}`, () => {
  it('from callers with client or frontend tokens change nothing, and the next valid request is answered', async () => {
    const garbage = new Garbage(SEED);
    const before = stateDigest(service.running.services.state);
    for (let sent = 0; sent < REQUESTS; sent += 20) {
      await Promise.all(Array.from({ length: 20 }, () => send(garbage.request(), garbage)));
      if (sent % 500 === 0) expect((await service.call('getHealth')).status).toBe(200);
    }
    expect(stateDigest(service.running.services.state)).toBe(before);
    expect((await service.call('getAllClientFeatures')).body.features).toHaveLength(1);
  });

  it('as nearly valid calls of an admin cause no answer with 500, and the stored state can be read and recovered', async () => {
    const garbage = new Garbage(SEED + 1);
    // In maintenance mode, most of the other requests would be refused.
    const taken = endpoints.filter(({ operationId }) => operationId !== 'toggleMaintenance');
    const statuses = new Map<number, number>();
    for (let sent = 0; sent < REQUESTS; sent++) {
      const { method, path, body, operationId } = garbage.pick(taken);
      const target = path.replace(/:[A-Za-z]+/g, () =>
        encodeURIComponent(garbage.chance(0.9) ? garbage.known() : garbage.word()),
      );
      const headers: Record<string, string> = { authorization: ADMIN_TOKEN };
      let sent: string | undefined;
      if (body) {
        sent = JSON.stringify(garbage.chance(0.9) ? garbage.conforming(body as Schema) : garbage.json());
        headers['content-type'] = 'application/json';
      }
      const url = `${service.url}${target}${garbage.query().replace(/[^\x21-\x7e]/g, '')}`;
      const { status, text } = await plainRequest(url, { method: method.toUpperCase(), headers, body: sent });
      expect(status, `${operationId} ${url} ${sent}: ${text}`).not.toBe(500);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    // Few requests are in conflict with something by chance.
    const expected = [200, 201, 400, 404, ...(REQUESTS > 1_000 ? [409] : [])];
    for (const status of expected) expect(statuses.get(status), `status ${status}`).toBeGreaterThan(0);
    const list = () => service.call('getAllClientFeatures');
    const listBefore = (await list()).text;
    await service.running.close();
    // Reports that are not stored yet, for example of a new application, are stored during the close.
    const before = stateDigest(service.running.services.state);
    // Without tokens in the variables: the start would create them again if their environment was deleted.
    const noTokens = { INIT_ADMIN_API_TOKENS: '', INIT_CLIENT_API_TOKENS: '', INIT_FRONTEND_API_TOKENS: '' };
    service = await startTestService({ directory: service.directory, env: noTokens });
    expect(stateDigest(service.running.services.state)).toBe(before);
    const { id: _id, ...error } = JSON.parse((await list()).text);
    expect(JSON.parse(listBefore)).toMatchObject(error);
  });
});
