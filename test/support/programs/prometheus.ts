import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../bench/support/free-port.ts';
import { untilTrue } from '../until.ts';

const runs = (program: string, ...args: readonly string[]) =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** The program `prometheus` of the machine. Debian's package is unpacked into the folder if there is none: installed, it would start a service. */
function programIn(folder: string): string {
  if (runs('prometheus', '--version')) return 'prometheus';
  const fetched = spawnSync('apt-get', ['download', '-qq', 'prometheus'], { cwd: folder, stdio: 'ignore' });
  const [archive] = fetched.status === 0 ? readdirSync(folder).filter((name) => name.endsWith('.deb')) : [];
  if (!archive || !runs('dpkg', '-x', join(folder, archive), folder))
    throw new Error('This test needs the program prometheus on the PATH, or Debian with apt-get.');
  return join(folder, 'usr/bin/prometheus');
}

/** A real Prometheus on a free port, which asks its targets every second. */
export class PrometheusServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'burgee-prometheus-'));
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  url = '';

  static async start(): Promise<PrometheusServer> {
    const server = new PrometheusServer();
    try {
      await server.#start();
      return server;
    } catch (error) {
      await server.dispose();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const program = programIn(this.#folder);
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    this.observe([]);
    const job = {
      job_name: 'burgee',
      metrics_path: '/internal-backstage/prometheus',
      file_sd_configs: [{ files: [join(this.#folder, 'targets.json')], refresh_interval: '1s' }],
    };
    // JSON is YAML.
    const config = { global: { scrape_interval: '1s' }, scrape_configs: [job] };
    writeFileSync(join(this.#folder, 'prometheus.yml'), JSON.stringify(config));
    const child = spawn(
      program,
      [
        `--config.file=${join(this.#folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(this.#folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore', cwd: this.#folder },
    );
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
    await untilTrue(async () => {
      if (child.exitCode !== null) throw new Error(`prometheus ended with the code ${child.exitCode}`);
      const answer = await fetch(`${this.url}/-/ready`).catch(() => undefined);
      return answer?.status === 200;
    }, 'prometheus is ready');
  }

  /** Asks these addresses, `host:port`, from now on. */
  observe(targets: readonly string[]): void {
    writeFileSync(join(this.#folder, 'targets.json'), JSON.stringify([{ targets }]));
  }

  async dispose(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
