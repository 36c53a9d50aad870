import type { Writable } from 'node:stream';

/** One command: the word in `burgee <word> …`. */
export interface Subcommand {
  readonly name: string;
  /** The description of the command, one line, in the list of all commands. */
  readonly summary: string;
  /** The output of `burgee <word> --help`. */
  readonly help: string;
  /** Words and flags that a shell offers after the name of the command. */
  readonly words: readonly string[];
  /** Runs the command. Resolves with the exit code, or with undefined if the process continues to run. @throws ProgramError */
  run(args: readonly string[], io: ProgramIo): Promise<number | undefined>;
}

/** The environment and the streams of a subcommand. */
export interface ProgramIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  /** Whether `err` is a terminal, where one line can be changed. */
  readonly isTerminal?: boolean;
  /** The number of columns of `out` if it is a terminal. */
  readonly columns?: number | undefined;
  /** Standard input. A function, because Node opens it when it is read first. */
  readonly input?: () => NodeJS.ReadStream;
  /** Standard output, for a command that writes a protocol to it; without it, that of the process. */
  readonly output?: () => Writable;
  /** Stops a command that keeps running; without it, a signal stops it. */
  readonly stop?: AbortSignal;
}

/** The exit code of every command for wrong usage: no command ends with it for another reason. */
export const USAGE_EXIT_CODE = 2;

/** The exit code of a command that did its work and reports findings, such as objects that a service refused. */
export const FINDINGS_EXIT_CODE = 3;

/** A problem that is shown to the user as one line without a stack trace. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  readonly exitCode: number = 1;
}

/** A command line that the command does not understand. */
export class UsageError extends ProgramError {
  override readonly exitCode = USAGE_EXIT_CODE;
}
