import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ProgramError, type Subcommand } from './subcommand.ts';

/** The load script of the package, seen from this file compiled and bundled: a process of its own, as `npm run bench:fleet` is. */
const SCRIPTS = ['../../../bench/fleet.js', '../../bench/fleet.js'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** `burgee bench`: its help is the script's. */
export const benchCommand: Subcommand = {
  name: 'bench',
  summary: 'polls an instance as a fleet of SDKs does, and says how it took it',
  help: '',
  words: ['--url', '--token', '--admin-token', '--clients', '--interval', '--duration', '--flags', '--json'],
  run(args, { environment }) {
    const script = SCRIPTS.find(existsSync) ?? SCRIPTS[0] ?? '';
    const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit', env: { ...environment } });
    return new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new ProgramError(error.message)));
      child.once('close', (code) => resolve(code ?? 1));
    });
  },
};
