import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** An identity provider as a separate process, on a port of the loopback interface. */
export interface ProviderProcess {
  readonly url: string;
  put(path: string, body: unknown): Promise<void>;
  end(): Promise<void>;
}

/** Starts one of the scripts in `children`: its first line on standard output is its address. */
export async function startProvider(
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ProviderProcess> {
  const file = fileURLToPath(new URL(`./children/${script}`, import.meta.url));
  const child = spawn(process.execPath, [file], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
  });
  const exited = once(child, 'exit');
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), exited.then(() => undefined)]);
  if (!first) throw new Error(`${script} ended: ${log}`);
  const url = String(first[0]);
  return {
    url,
    async put(path, body) {
      const answer = await fetch(url + path, { method: 'PUT', body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    },
    async end() {
      child.kill();
      await exited;
    },
  };
}
