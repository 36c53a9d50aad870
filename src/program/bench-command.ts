import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ProgramError, type Subcommand } from './subcommand.ts';

/** The load script of the package: a process of its own, as `npm run bench:fleet` is. */
const SCRIPT = fileURLToPath(new URL('../../bench/fleet.js', import.meta.url));

/** `burgee bench`: its help is the script's. */
export const benchCommand: Subcommand = {
  name: 'bench',
  summary: 'polls an instance as a fleet of SDKs does, and says how it took it',
  help: '',
  words: ['--url', '--token', '--admin-token', '--clients', '--interval', '--duration', '--flags', '--json'],
  run(args, { environment }) {
    const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: 'inherit', env: { ...environment } });
    return new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new ProgramError(error.message)));
      child.once('close', (code) => resolve(code ?? 1));
    });
  },
};
