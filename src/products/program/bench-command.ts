import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ProgramError, type Subcommand } from './subcommand.ts';

/** The package's load script, relative to this file in its compiled and bundled form. It runs in its own process, like `npm run bench:fleet`. */
const SCRIPTS = ['../../../bench/fleet.js', '../../bench/fleet.js'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** `burgee bench`: the script prints the help. */
export const benchCommand: Subcommand = {
  name: 'bench',
  summary: 'polls an instance like a fleet of SDKs, and reports how it performed',
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
