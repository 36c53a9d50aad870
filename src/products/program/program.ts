import '../../features/modules.ts';
import { ConfigError } from '../../base/options.ts';
import { VERSION } from '../../base/version.ts';
import { backupCommand } from './backup-command.ts';
import { benchCommand } from './bench-command.ts';
import { commandLine } from './command-line.ts';
import { completion } from './completion.ts';
import { configCommand } from './config-command.ts';
import { demoCommand } from './demo-command.ts';
import { exportCommand } from './export-command.ts';
import { importCommand } from './import-command.ts';
import { mcpCommand } from './mcp-command.ts';
import { migrateCommand } from './migrate-command.ts';
import { offlineCommand } from './offline-command.ts';
import { health, ready } from './probes.ts';
import { relayCommand } from './relay-command.ts';
import { restoreCommand } from './restore-command.ts';
import { ProgramError, type ProgramIo, type Subcommand, USAGE_EXIT_CODE, UsageError } from './subcommand.ts';
import { TERMINAL_COMMANDS } from './terminal/commands.ts';
import { tokenCommand } from './token-command.ts';

/** Burgee's commands. The code that serves flags or moves stores is loaded on demand, because a health check must not wait for it. */
export const SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: 'serve',
    summary: 'serves until a signal stops it (also without any command)',
    help: 'burgee serve\n\nServes until a signal stops it. Every option is an environment variable: burgee config shows them all.\n',
    words: [],
    async run(args, { environment }) {
      if (args.length > 0)
        throw new UsageError(`unexpected argument "${args[0]}": options are environment variables; see burgee config`);
      const { serve } = await import('../server/serve.ts');
      await serve(environment);
      return undefined;
    },
  },
  demoCommand,
  offlineCommand,
  {
    name: 'store',
    summary: 'copies, backs up, restores and compares stored data',
    help: '',
    words: [
      'copy',
      'backup',
      'restore',
      'digest',
      'reapply',
      '--from',
      '--to',
      '--key-prefix',
      '--new-revisions',
      '--apply',
    ],
    async run(args, { out, err }) {
      const { runStoreCommand } = await import('../maintenance/store-command.ts');
      return await runStoreCommand(args, out, err);
    },
  },
  backupCommand,
  restoreCommand,
  relayCommand,
  configCommand,
  migrateCommand,
  ...TERMINAL_COMMANDS,
  mcpCommand,
  tokenCommand,
  exportCommand,
  importCommand,
  health,
  ready,
  benchCommand,
  completion(() => SUBCOMMANDS),
];

function usage(): string {
  const width = Math.max(...SUBCOMMANDS.map(({ name }) => name.length));
  const lines = SUBCOMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('');
  return `burgee ${VERSION}: a feature-flag service with Unleash's APIs\n\nburgee [command]\n\n${lines}\nSee burgee <command> --help. Options are environment variables: burgee config shows them all.\n`;
}

/** Runs the command of a command line. Resolves with the exit code, or with undefined if the process must continue to run. */
export async function runProgram(args: readonly string[], io: ProgramIo): Promise<number | undefined> {
  const { name, rest, variables } = commandLine(args);
  if (name === '--help' || name === '-h' || name === 'help') {
    io.out(usage());
    return 0;
  }
  if (name === '--version') {
    io.out(`${VERSION}\n`);
    return 0;
  }
  const subcommand = SUBCOMMANDS.find((each) => each.name === name);
  if (!subcommand) {
    io.err(`burgee: there is no command "${name}"; see burgee --help\n`);
    return USAGE_EXIT_CODE;
  }
  if (subcommand.help !== '' && (rest.includes('--help') || rest.includes('-h'))) {
    io.out(subcommand.help);
    return 0;
  }
  try {
    return await subcommand.run(rest, { ...io, environment: { ...io.environment, ...variables } });
  } catch (error) {
    const isForPeople = error instanceof ProgramError || error instanceof ConfigError;
    if (!isForPeople) throw error;
    io.err(`burgee ${name}: ${error.message}\n`);
    return error instanceof ProgramError ? error.exitCode : 1;
  }
}
