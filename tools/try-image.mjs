// try-image --base TREE --work FOLDER: executes the Dockerfile without a container engine (tools/run-dockerfile.mjs), and runs the image as an engine
// would: as its user, with a root file system that is read-only except for its volume and /tmp. Prints a line for each test, then "N passed, N
// failed". Needs root.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bytesBelow, enter, runDockerfile, runIn } from './run-dockerfile.mjs';

const { values } = parseArgs({ options: { base: { type: 'string' }, work: { type: 'string' } } });
/** Maximum size of the files that the image adds to Node and Debian, without the binary of uWebSockets.js. */
const BYTES_MAX = 30_000_000;
const START_TIMEOUT_MS = 90_000;

let passed = 0;
let failed = 0;

async function attempt(what, work) {
  try {
    const output = await work();
    passed++;
    console.log(`ok    ${what}${output ? `: ${output}` : ''}`);
    return true;
  } catch (error) {
    failed++;
    console.log(`FAIL  ${what}: ${error.message}`);
    return false;
  }
}

function demand(condition, message) {
  if (!condition) throw new Error(message);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Paths in the image to which this user can write, except the intended ones. */
function writableBelow(root, path, [uid], intended) {
  const full = join(root, path);
  const stat = lstatSync(full);
  if (intended.includes(path) || stat.isSymbolicLink()) return [];
  const isWritable = (stat.uid === uid && stat.mode & 0o200) || stat.mode & 0o002;
  const below = stat.isDirectory() ? readdirSync(full).flatMap((name) => writableBelow(root, join(path, name), [uid], intended)) : [];
  return [...(isWritable ? [path] : []), ...below];
}

let image;
mkdirSync(values.work, { recursive: true });
await attempt('the Dockerfile is executed stage by stage', () => {
  image = runDockerfile({ ...values, log: (line) => console.error(line) });
});
if (image) {
  const volumes = image.volumes;
  const how = { isReadOnly: true, writable: [...volumes, '/tmp'] };
  chmodSync(join(image.root, 'tmp'), 0o1777);

  await attempt('the image contains one binary of the HTTP server, and is small', () => {
    const uws = join(image.root, 'app/node_modules/uWebSockets.js');
    const binaries = readdirSync(uws).filter((name) => name.endsWith('.node'));
    demand(binaries.length === 1, `there are ${binaries.join(', ')}`);
    const binary = statSync(join(uws, binaries[0])).size;
    const bytes = bytesBelow(join(image.root, 'app')) - binary;
    demand(bytes <= BYTES_MAX, `${(bytes / 1e6).toFixed(1)} MB`);
    return `${(bytes / 1e6).toFixed(1)} MB beside ${binaries[0]} (${(binary / 1e6).toFixed(1)} MB)`;
  });

  await attempt('the image’s user owns only the volume', () => {
    const [uid] = image.user.split(':').map(Number);
    demand(uid > 0, 'the user is root');
    const writable = writableBelow(image.root, '/app', [uid], volumes);
    demand(writable.length === 0, writable.slice(0, 5).join(', '));
    for (const volume of volumes) {
      const stat = statSync(join(image.root, volume));
      demand(stat.uid === uid && (stat.mode & 0o777) === 0o700, `${volume} does not belong to the user alone`);
    }
  });

  const start = (command, environment) => {
    const child = spawn(...enter(image, command, { ...how, environment }), { stdio: ['ignore', 'pipe', 'pipe'] });
    const running = { child, log: '', ended: new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal))) };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (running.log += chunk));
    return running;
  };
  const untilServing = async (running) => {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!/burgee serves/.test(running.log)) {
      demand(running.child.exitCode === null && Date.now() < deadline, running.log.slice(-2_000));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return /"version":"[^"]*","node":"[^"]*"/.exec(running.log)?.[0];
  };
  const endOf = async (running) => {
    process.kill(hostPidOf(running.child.pid), 'SIGTERM');
    const end = await running.ended;
    demand(end === 0, `it ended with ${end}`);
  };

  const port = await freePort();
  const environment = { HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port) };
  const service = start([...image.entrypoint, ...image.cmd], environment);
  const isServing = await attempt('the image serves, as its user, on a read-only root file system', () => untilServing(service));
  let token = '';
  if (isServing) {
    await attempt('the health check of the image passes', () => {
      const output = runIn(image, image.healthcheck, { ...how, environment });
      demand(output.includes('GOOD'), output);
    });
    await attempt('the first tokens are where the output says, only the image’s user can read them, and they are accepted', async () => {
      const file = join(image.root, volumes[0], 'first-tokens.txt');
      demand(service.log.includes(`${volumes[0]}/first-tokens.txt`), 'the output does not say where');
      demand((statSync(file).mode & 0o777) === 0o600, 'others can read them');
      token = /^ +client +(\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
      const answer = await fetch(`http://127.0.0.1:${port}/api/client/features`, { headers: { authorization: token } });
      demand(answer.status === 200, `answered ${answer.status}`);
    });
    await attempt('the image serves the console', async () => {
      const page = await fetch(`http://127.0.0.1:${port}/projects`);
      const [, script] = /src="([^"]+\.js)"/.exec(await page.text()) ?? [];
      demand(page.ok && script !== undefined, `answered ${page.status}`);
      demand((await fetch(`http://127.0.0.1:${port}${script}`)).ok, `${script} is missing`);
    });
    await attempt('nothing can be written except in the volume and /tmp', () => {
      const output = runIn(image, ['/bin/sh', '-c', 'touch /app/x /etc/x 2>&1; touch /data/y && echo wrote'], how);
      demand(!existsSync(join(image.root, 'app/x')) && output.includes('wrote'), output);
    });
    await attempt('the image works as a relay in front of another instance, as compose.yaml starts it', async () => {
      const relayPort = await freePort();
      const folders = { DATA_DIR: '/tmp/relay', BACKUP_FOLDER: '/tmp/relay' };
      const relayOptions = { HTTP_HOST: '127.0.0.1', PORT: String(relayPort), UPSTREAM_URL: `http://127.0.0.1:${port}`, TOKENS: token };
      const relay = start([...image.entrypoint, 'relay'], { ...relayOptions, ...folders });
      try {
        await untilServing(relay);
        const url = `http://127.0.0.1:${relayPort}`;
        const answer = await fetch(`${url}/api/client/features`, { headers: { authorization: token } });
        demand(answer.status === 200, `answered ${answer.status}`);
        runIn(image, ['burgee', 'health', '--url', url], how);
        await endOf(relay);
      } finally {
        relay.child.kill('SIGKILL');
        await relay.ended;
      }
    });
    await attempt('the image ends on SIGTERM', () => endOf(service));
  }
  service.child.kill('SIGKILL');
  await service.ended;
}

/** The process id, on the host, of the only child process of `unshare`. */
function hostPidOf(parent) {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ');
  demand(children.length === 1 && children[0] !== '', 'the process cannot be found');
  return Number(children[0]);
}

const UNIT = fileURLToPath(new URL('../deploy/systemd/burgee.service', import.meta.url));
const analyzed = spawnSync('systemd-analyze', ['verify', '--recursive-errors=no', UNIT], { encoding: 'utf8' });
if (analyzed.error) console.log('--    not tested: the systemd unit, because systemd-analyze is not installed');
else
  await attempt('systemd accepts the unit', () => {
    // The program is not installed on this machine. This is not an error of the unit.
    const output = analyzed.stderr.split('\n').filter((line) => line.includes('burgee') && !/not executable|No such file/.test(line));
    demand(output.length === 0, output.join('\n'));
  });

const chart = fileURLToPath(new URL('../deploy/helm', import.meta.url));
const helm = (...more) => spawnSync('helm', ['template', 'flags', chart, '--kube-version', '1.31', ...more], { encoding: 'utf8' });
if (spawnSync('helm', ['version']).error) console.log('--    not tested: the chart, because helm is not installed (go install helm.sh/helm/v3/cmd/helm@latest)');
else
  await attempt('helm renders the chart in each mode, and says what is missing', () => {
    const chartValues = ['--set', 'redis.url=redis://redis,relay.upstreamUrl=http://unleash,ingress.enabled=true,existingSecret=s,env.BASE_URI_PATH=/flags'];
    for (const mode of ['embedded', 'replicas', 'relay']) {
      const { status, stdout, stderr } = helm(...chartValues, '--set', `mode=${mode}`);
      demand(status === 0, stderr);
      demand(stdout.includes(`kind: ${mode === 'embedded' ? 'StatefulSet' : 'Deployment'}\n`), `${mode} has no pods`);
      demand(stdout.includes('path: /flags/ready'), `${mode} does not ask /ready under its base path`);
    }
    for (const [mode, message] of [['replicas', 'redis.url'], ['relay', 'relay.upstreamUrl'], ['other', 'embedded, replicas and relay']]) {
      const { status, stderr } = helm('--set', `mode=${mode}`);
      demand(status !== 0 && stderr.includes(message), `${mode} alone is accepted`);
    }
  });

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
