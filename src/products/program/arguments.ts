import { parseArgs } from 'node:util';
import { UsageError } from './subcommand.ts';

type Flags = Readonly<
  Record<string, { readonly type: 'string' | 'boolean'; readonly short?: string; readonly multiple?: boolean }>
>;

/** Parses the flags and words of a command line. @throws UsageError */
export function readArguments<F extends Flags>(args: readonly string[], flags: F, wordsMax = 0) {
  let parsed: ReturnType<typeof parseArgs<{ args: string[]; options: F; allowPositionals: true }>>;
  try {
    parsed = parseArgs({ args: [...args], options: flags, allowPositionals: true });
  } catch (error) {
    // The first sentence describes the problem.
    throw new UsageError(`${(error as Error).message.split('. ')[0]}; see --help`);
  }
  const extra = parsed.positionals[wordsMax];
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"; see --help`);
  return parsed;
}

/** The flags as a shell offers them. */
export const wordsOf = (flags: object): string[] => Object.keys(flags).map((flag) => `--${flag}`);
