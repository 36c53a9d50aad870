import { runCommand } from './maintenance/command.ts';
import { TransferError } from './maintenance/transfer-error.ts';
import { StoreError } from './stores/store.ts';

/** The command line over stored histories: `npm run store -- --help`. */
try {
  const text = await runCommand(process.argv.slice(2), (line) => void process.stderr.write(`warning: ${line}\n`));
  process.stdout.write(text);
} catch (error) {
  const isForPeople = error instanceof TransferError || error instanceof StoreError;
  const text = isForPeople || !(error instanceof Error) ? String((error as Error).message ?? error) : error.stack;
  process.stderr.write(`store: ${text}\n`);
  process.exitCode = 1;
}
