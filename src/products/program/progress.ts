import type { ProgramIo } from './subcommand.ts';

/** Between two lines of a log; a terminal's one line is written anew more often. */
const LINE_EVERY_MS = 5_000;
const REDRAW_EVERY_MS = 100;
const BAR_WIDTH = 24;

interface ShownProgress {
  tell(what: string, done: number, of: number): void;
  /** Leaves the line as it is and begins another one. */
  end(): void;
}

/** How far something is: a bar on a terminal, now and then a line elsewhere. */
export function progressOn({ err, isTerminal = false }: ProgramIo): ShownProgress {
  let toldMs = isTerminal ? Number.NEGATIVE_INFINITY : performance.now();
  let isOpen = false;
  return {
    tell(what, done, of) {
      const nowMs = performance.now();
      const isLate = nowMs - toldMs >= (isTerminal ? REDRAW_EVERY_MS : LINE_EVERY_MS);
      if (!isLate && !(isTerminal && done === of)) return;
      toldMs = nowMs;
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
