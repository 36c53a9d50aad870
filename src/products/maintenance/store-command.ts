import { StoreError } from '../../stores/store.ts';
import { ProgramError } from '../program/subcommand.ts';
import { runCommand } from './store-commands.ts';
import { TransferError } from './transfer-error.ts';

/** Runs `burgee store`, the command line for stored histories. Resolves with the exit code. */
export async function runStoreCommand(
  args: readonly string[],
  out: (text: string) => void,
  err: (text: string) => void,
): Promise<number> {
  try {
    out(await runCommand(args, (line) => err(`warning: ${line}\n`)));
    return 0;
  } catch (error) {
    const isExpected = [ProgramError, TransferError, StoreError].some((kind) => error instanceof kind);
    const text = isExpected || !(error instanceof Error) ? String((error as Error).message ?? error) : error.stack;
    err(`burgee store: ${text}\n`);
    return error instanceof ProgramError ? error.exitCode : 1;
  }
}
