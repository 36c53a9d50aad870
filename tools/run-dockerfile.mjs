// run-dockerfile --base TREE --work FOLDER [--dockerfile FILE]: executes a Dockerfile stage by stage in plain trees, where no container engine is
// available. TREE is a root file system that replaces every base image (Debian with Node at /usr/local). Supports the instructions that Burgee's
// Dockerfile uses, and refuses all others. Needs root, Linux and util-linux. Prints the configuration of the image as JSON: its root, user,
// environment, entry point.
//
// A RUN step uses the network of this machine, and the npm registry and cache that npm uses on this machine.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ignoredBy, readDockerfile } from './dockerfile.mjs';

const context = fileURLToPath(new URL('..', import.meta.url));

/** @param {{ base: string, work: string, dockerfile?: string, log?: (line: string) => void }} options */
export function runDockerfile({ base, work, dockerfile = join(context, 'Dockerfile'), log = () => {} }) {
  const stages = new Map();
  const isIgnored = ignoredBy(readFileSync(join(context, '.dockerignore'), 'utf8'));
  let image;
  for (const { name, from, steps } of readDockerfile(readFileSync(dockerfile, 'utf8'))) {
    const root = join(work, `stage-${stages.size}`);
    log(`FROM ${from} AS ${name}`);
    run('cp', ['-a', '--reflink=auto', stages.get(from)?.root ?? base, root]);
    image = { root, workdir: '/', user: '0:0', env: {}, volumes: [], labels: {} };
    stages.set(name, image);
    for (const step of steps) {
      log(`${step.instruction} ${step.text}`);
      perform(step, image, { stages, isIgnored });
    }
  }
  return image;
}

function perform({ instruction, text, words, json }, image, { stages, isIgnored }) {
  const workdir = () => join(image.root, image.workdir);
  switch (instruction) {
    case 'WORKDIR':
      image.workdir = resolve(image.workdir, text);
      return void mkdirSync(workdir(), { recursive: true });
    case 'ENV':
    case 'LABEL':
      return void Object.assign(instruction === 'ENV' ? image.env : image.labels, words.pairs);
    case 'USER':
      image.user = text;
      return;
    case 'VOLUME':
      image.volumes.push(...(json ?? [text]));
      return;
    case 'COPY': {
      const stage = words.flags.from;
      const sources = words.plain.slice(0, -1);
      const target = words.plain.at(-1) ?? '';
      for (const source of sources) copy(source, target, { stage: stages.get(stage), workdir: workdir(), isIgnored, isOne: sources.length === 1 });
      return;
    }
    case 'RUN': {
      const { giveBack, ...npmAccess } = npmOfThisMachine(image.root);
      runIn(image, ['/bin/sh', '-ec', text], { ...npmAccess, stdio: ['ignore', 2, 2] });
      return giveBack();
    }
    case 'EXPOSE':
    case 'STOPSIGNAL':
      image[instruction.toLowerCase()] = text;
      return;
    case 'ENTRYPOINT':
    case 'CMD':
      if (!json) throw new Error(`${instruction} is not a JSON list: a shell would not pass signals on`);
      image[instruction.toLowerCase()] = json;
      return;
    case 'HEALTHCHECK':
      image.healthcheck = JSON.parse(text.slice(text.indexOf('[')));
      return;
    default:
      throw new Error(`${instruction} is not supported`);
  }
}

/** Copies as Docker does: the content of a folder is copied into the target; a file keeps its name if the target is a folder. */
function copy(source, target, { stage, workdir, isIgnored, isOne }) {
  const from = stage ? join(stage.root, source) : join(context, source);
  const isFolder = lstatSync(from).isDirectory();
  const into = target.startsWith('/') ? join(workdir, '..', target) : join(workdir, target);
  const to = isFolder || (isOne && !target.endsWith('/') && target !== '.') ? into : join(into, source.split('/').at(-1));
  mkdirSync(dirname(to), { recursive: true });
  const filter = (path) => stage !== undefined || !isIgnored(path.slice(context.length), lstatSync(path).isDirectory());
  if (!filter(from)) throw new Error(`COPY ${source}: .dockerignore leaves it out`);
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter });
}

/** Runs a command in the root file system of an image. It has its own process and mount namespaces, which end with the command. */
export function runIn(image, command, { stdio = 'pipe', timeout, ...environmentOptions } = {}) {
  const { status, signal, stdout, stderr, error } = spawnSync(...enter(image, command, environmentOptions), { stdio, encoding: 'utf8', timeout });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status ?? signal}\n${stderr ?? ''}`);
  return stdout;
}

const MOUNT_AND_RUN = `
root=$1 writable=$2 readonly=$3 workdir=$4 user=$5 mounts=$6
shift 6
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
while IFS=: read -r from to; do
  if [ -n "$from" ]; then mount --bind "$from" "$root$to"; fi
done <<<"$mounts"
for path in $writable; do mount --bind "$root$path" "$root$path"; done
if [ "$readonly" = true ]; then mount -o remount,bind,ro "$root"; fi
exec chroot --userspec="$user" --groups= "$root" /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$workdir" "$@"
`;

/** Program and arguments for `spawn` that run a command in the root file system of an image. */
export function enter(image, command, { user = image.user, environment = {}, isReadOnly = false, writable = [], mounts = [] } = {}) {
  const settings = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', ...image.env, ...environment };
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const words = [image.root, writable.join(' '), String(isReadOnly), image.workdir, user, mounts.join('\n'), '/usr/bin/env', '-i', ...variables, ...command];
  const script = ['bash', '-euo', 'pipefail', '-c', MOUNT_AND_RUN, 'run-dockerfile', ...words];
  return ['unshare', ['--mount', '--pid', '--fork', '--kill-child', ...script]];
}

/**
 * The settings and files of this machine with which a build reaches npm's registry: address, proxies, trusted certificates and the local cache. They
 * are available while a step runs. `giveBack` removes their mount points, so that nothing of them stays in the image. Without `withCache` every package
 * is downloaded, as for somebody who never used npm.
 */
export function npmOfThisMachine(root, { withCache = true } = {}) {
  npmSettings ??= Object.fromEntries(['registry', 'cache', 'cafile'].map((name) => [name, run('npm', ['config', 'get', name], 'pipe').trim()]));
  const { registry, cache, cafile } = npmSettings;
  const environment = { npm_config_registry: registry };
  for (const name of PROXIES) if (process.env[name]) environment[name] = process.env[name];
  const trusted = [process.env.NODE_EXTRA_CA_CERTS, cafile, '/etc/ssl/certs/ca-certificates.crt'].find((file) => file && existsSync(file));
  const mounts = [];
  const lend = (from, to, variable) => {
    mounts.push(`${from}:${to}`);
    environment[variable] = to;
    if (lstatSync(from).isDirectory()) mkdirSync(join(root, to), { recursive: true });
    else writeFileSync(join(root, to), '');
  };
  if (withCache && existsSync(cache)) lend(cache, '/mnt/npm', 'npm_config_cache');
  if (trusted) lend(realpathSync(trusted), '/mnt/trusted.pem', 'NODE_EXTRA_CA_CERTS');
  return { environment, mounts, giveBack: () => mounts.forEach((place) => void rmSync(join(root, place.split(':')[1]), { recursive: true })) };
}
/** Read once, at the first RUN step. */
let npmSettings;
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

function run(command, args, stdio = 'inherit') {
  const { status, error, stdout } = spawnSync(command, args, { stdio: ['ignore', stdio, 'inherit'], encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
  return stdout ?? '';
}

/** Bytes of all files below a path, each counted once. */
export function bytesBelow(path) {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { base: { type: 'string' }, work: { type: 'string' }, dockerfile: { type: 'string' } } });
  if (!values.base || !values.work || !existsSync(values.base)) {
    process.stderr.write('usage: node tools/run-dockerfile.mjs --base TREE --work FOLDER [--dockerfile FILE]\n');
    process.exit(1);
  }
  mkdirSync(values.work, { recursive: true });
  const image = runDockerfile({ ...values, log: (line) => process.stderr.write(`${line}\n`) });
  writeFileSync(join(values.work, 'image.json'), JSON.stringify(image, null, 2));
  process.stdout.write(`${JSON.stringify(image, null, 2)}\n`);
}
