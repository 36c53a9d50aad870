import type { ProgramIo } from './subcommand.ts';

/** Minimum time between two lines of a log. The single line on a terminal is updated more often, every `REDRAW_EVERY_MS`. */
const LINE_EVERY_MS = 5_000;
const REDRAW_EVERY_MS = 100;
const BAR_WIDTH = 24;

interface ProgressDisplay {
  tell(what: string, done: number, of: number): void;
  /** Ends the line of the progress bar, so that other output begins on a new line. */
  end(): void;
}

/** Shows progress: as a bar on a terminal, otherwise as a new line every `LINE_EVERY_MS`. */
export function progressOn({ err, isTerminal = false }: ProgramIo): ProgressDisplay {
  let printedMs = isTerminal ? Number.NEGATIVE_INFINITY : performance.now();
  let isOpen = false;
  return {
    tell(what, done, of) {
      const nowMs = performance.now();
      const isDue = nowMs - printedMs >= (isTerminal ? REDRAW_EVERY_MS : LINE_EVERY_MS);
      if (!isDue && !(isTerminal && done === of)) return;
      printedMs = nowMs;
      if (!isTerminal) return err(`${what}: ${done} of ${of}\n`);
      const filled = of === 0 ? BAR_WIDTH : Math.round((done / of) * BAR_WIDTH);
      err(`\r[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${what}: ${done} of ${of}\x1b[K`);
      isOpen = true;
    },
    end() {
      if (isOpen) err('\n');
      isOpen = false;
    },
  };
}
