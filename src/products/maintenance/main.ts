import '../../features/modules.ts';
import { runStoreCommand } from './store-command.ts';

/** The command line for stored histories: `npm run store -- --help`. */
process.exitCode = await runStoreCommand(
  process.argv.slice(2),
  (text) => void process.stdout.write(text),
  (text) => void process.stderr.write(text),
);
