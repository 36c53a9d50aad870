import { spawnSync } from 'node:child_process';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { makeFlags } from './support/flags.ts';
import { freePort } from './support/free-port.ts';
import { inTurn } from './support/in-turn.ts';
import { machine, median, setting } from './support/report.ts';
import { CLIENT_TOKEN, type Process, startSeededService } from './support/service.ts';
import { temporaryDirectory } from './support/temporary.ts';

/**
 * Processor time of the service for an unchanged poll (304) over TLS: on a kept connection, and on a new connection for each poll, with and without the
 * resumption of a TLS session. Keys: ECDSA P-256 and RSA 2048 (made by openssl). BENCH_POLLS (1,000) for each, BENCH_ROUNDS (3).
 */
const POLLS = setting('BENCH_POLLS', 1_000);
const ROUNDS = setting('BENCH_ROUNDS', 3);
const TOGETHER = 8;
const KEYS = { 'ECDSA P-256': ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'], 'RSA 2048': ['rsa:2048'] };

/** Sends a poll. Returns its ETag. */
function poll(agent: Agent, port: number, etag: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: CLIENT_TOKEN, ...(etag !== '' && { 'if-none-match': etag }) };
    const options = { host: '127.0.0.1', port, path: '/api/client/features', headers, agent };
    const asked = request({ ...options, rejectUnauthorized: false }, (answer) => {
      if (answer.statusCode !== (etag === '' ? 200 : 304)) reject(new Error(`status ${answer.statusCode}`));
      answer.resume().on('end', () => resolve(String(answer.headers.etag)));
    });
    asked.on('error', reject).end();
  });
}

/** Microseconds of processor time of the service for each poll. */
async function cost(service: Process, port: number, etag: string, agent: Agent): Promise<number> {
  for (let count = 0; count < TOGETHER; count++) await poll(agent, port, etag);
  const before = service.cpuS();
  let left = POLLS;
  const caller = async () => {
    while (left-- > 0) await poll(agent, port, etag);
  };
  await Promise.all(Array.from({ length: TOGETHER }, caller));
  agent.destroy();
  return ((service.cpuS() - before) / POLLS) * 1e6;
}

function certificate(kind: readonly string[]): Record<string, string> {
  const [key, file] = ['key.pem', 'certificate.pem'].map((name) => join(temporaryDirectory(), name)) as [
    string,
    string,
  ];
  const args = [
    'req',
    '-x509',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-newkey',
    ...kind,
    '-keyout',
    key,
    '-out',
    file,
  ];
  const made = spawnSync('openssl', args, { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`openssl made no certificate: ${made.stderr ?? made.error}`);
  return { TLS_ENABLE: 'true', TLS_SERVER_KEY: key, TLS_SERVER_CERT: file };
}

process.stdout.write(`CPU of the service for a poll (304) over TLS (${machine()})\n`);
process.stdout.write(
  '| front | key | kept connection | new connection, session resumed | new connection |\n|---|---|---|---|---|\n',
);
for (const front of ['fast', 'node']) {
  for (const [name, kind] of Object.entries(KEYS)) {
    const port = await freePort();
    const env = { ...certificate(kind), TLS_SERVER_PORT: String(port), HTTP_FRONT: front };
    const service = await startSeededService(makeFlags(5, { seed: 1 }), { env });
    try {
      const etag = await poll(new Agent(), port, '');
      const rounds = await inTurn(ROUNDS, {
        kept: () => cost(service, port, etag, new Agent({ keepAlive: true, maxSockets: TOGETHER })),
        resumed: () => cost(service, port, etag, new Agent()),
        fresh: () => cost(service, port, etag, new Agent({ maxCachedSessions: 0 })),
      });
      const us = (way: 'kept' | 'resumed' | 'fresh') => `${Math.round(median(rounds.map((round) => round[way])))} µs`;
      process.stdout.write(`| ${front} | ${name} | ${us('kept')} | ${us('resumed')} | ${us('fresh')} |\n`);
    } finally {
      await service.end();
    }
  }
}
