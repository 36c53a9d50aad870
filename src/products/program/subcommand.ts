/** One word of `burgee <word> …`. */
export interface Subcommand {
  readonly name: string;
  /** One line, for the list of all of them. */
  readonly summary: string;
  /** What `burgee <word> --help` prints. */
  readonly help: string;
  /** Words and flags that a shell offers after it. */
  readonly words: readonly string[];
  /** Does it. Resolves with the exit code, or with nothing while the process goes on by itself. @throws ProgramError */
  run(args: readonly string[], io: ProgramIo): Promise<number | undefined>;
}

/** What a subcommand knows of the world. */
export interface ProgramIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  /** Whether `err` is a terminal, where one line can be changed. */
  readonly isTerminal?: boolean;
  /** Ends a command that goes on; without it, a signal does. */
  readonly stop?: AbortSignal;
}

/** A problem that is shown in one line: exit code 1, no stack. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}
