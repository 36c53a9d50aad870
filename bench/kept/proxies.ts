import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { askWith } from './node-clients.ts';
import { type Client, LIST, Missing, type Outcome, type Plan, pauseOf, sleep, Tally } from './outcome.ts';

/** A proxy in front of the service, with these lines of its configuration. */
interface Proxy {
  readonly program: 'nginx' | 'haproxy';
  /** nginx: of the upstream. HAProxy: of the backend. */
  readonly lines: readonly string[];
  /** HAProxy: of the server. */
  readonly serverOptions?: string;
}

/** Callers that ask at the same time, so that the proxy has as many connections to the service. */
const TOGETHER = 10;
const START_TRIES = 500;

/**
 * Callers of a proxy. Their connections to the proxy stay open; the pauses are those of its connections to the service. So they ask in groups, and the proxy
 * has a pool of connections for each group: otherwise it would use the newest connections again and again, and none would have a long pause.
 */
export function behind(proxy: Proxy): Client {
  return async (plan) => {
    if (spawnSync(proxy.program, ['-v'], { stdio: 'ignore' }).error)
      throw new Missing(`${proxy.program} is not installed`);
    const folder = temporaryDirectory();
    const port = await freePort();
    // One address of the service for each group.
    const upstreams = plan.urls.filter((_, index) => index % TOGETHER === 0).map((url) => new URL(url).host);
    const file = join(folder, 'proxy.conf');
    writeFileSync(file, configOf(proxy, folder, port, upstreams));
    mkdirSync(join(folder, 'logs'));
    const args = proxy.program === 'nginx' ? ['-p', folder, '-c', file] : ['-db', '-f', file];
    const child = spawn(proxy.program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      const first = `http://127.0.0.1:${port}`;
      await untilAnswers(`${first}/0${LIST}`, plan.token, () => errors);
      return await inGroups(plan, (group) => `${first}/${group}`);
    } finally {
      kill();
      await ended;
      process.off('exit', kill);
    }
  };
}

async function inGroups(plan: Plan, urlOf: (group: number) => string): Promise<Outcome> {
  const tally = new Tally();
  const group = async (index: number) => {
    const agents = Array.from({ length: TOGETHER }, () => new Agent({ keepAlive: true }));
    await sleep(index * 20);
    for (let count = 0; count < plan.requests; count++) {
      if (count > 0) await sleep(pauseOf(plan));
      await Promise.all(
        agents.map((agent, at) => {
          const isGet = (count + at) % 2 === 0;
          return tally.note(isGet, askWith(agent, urlOf(index), isGet, plan.token));
        }),
      );
    }
    for (const agent of agents) agent.destroy();
  };
  await Promise.all(Array.from({ length: plan.urls.length / TOGETHER }, (_, index) => group(index)));
  return tally;
}

async function untilAnswers(url: string, token: string, errors: () => string): Promise<void> {
  for (let tries = 0; tries < START_TRIES; tries++) {
    const answer = await fetch(url, { headers: { authorization: token } }).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await sleep(10);
  }
  throw new Error(`nothing answers at ${url}: ${errors().slice(-1_000)}`);
}

function configOf(
  { program, lines, serverOptions = '' }: Proxy,
  folder: string,
  port: number,
  upstreams: string[],
): string {
  if (program === 'nginx') {
    const servers = upstreams.map((host, at) => `upstream u${at} { server ${host}; ${lines.join(' ')} }`);
    const locations = upstreams.map((_, at) => `location /${at}/ { proxy_pass http://u${at}/; }`);
    return `
daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/logs/error.log;
events { worker_connections 8000; }
http {
  access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  keepalive_timeout 75s; proxy_http_version 1.1; proxy_set_header Connection "";
  ${servers.join('\n  ')}
  server { listen 127.0.0.1:${port}; ${locations.join('\n    ')} }
}`;
  }
  const backends = upstreams.map(
    (host, at) => `
backend u${at}
  http-request replace-path /[0-9]+(/.*) \\1
  ${lines.join('\n  ')}
  server s ${host} ${serverOptions}`,
  );
  return `
global
  maxconn 8000
  nbthread 1
defaults
  mode http
  timeout connect 2s
  timeout client 75s
  timeout server 75s
  option redispatch
  retries 2
frontend all
  bind 127.0.0.1:${port}
  ${upstreams.map((_, at) => `use_backend u${at} if { path_beg /${at}/ }`).join('\n  ')}
${backends.join('')}
`;
}
