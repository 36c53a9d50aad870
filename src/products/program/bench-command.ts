import { spawn } from 'node:child_process';
import { packedScript } from '../../base/built-worker.ts';
import { ProgramError, type Subcommand } from './subcommand.ts';

/** `burgee bench`: the load script (`bench/fleet.ts`) runs in its own process, like `npm run bench:fleet`. It prints the help. */
export const benchCommand: Subcommand = {
  name: 'bench',
  summary: 'polls an instance like a fleet of SDKs, and reports how it performed',
  help: '',
  words: ['--url', '--token', '--admin-token', '--clients', '--interval', '--duration', '--flags', '--json'],
  run(args, { environment }) {
    const child = spawn(process.execPath, [packedScript('fleet'), ...args], {
      stdio: 'inherit',
      env: { ...environment },
    });
    return new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new ProgramError(error.message)));
      child.once('close', (code) => resolve(code ?? 1));
    });
  },
};
