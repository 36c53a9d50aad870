import { type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['auto', 'json', 'pretty'] as const;
type LogFormat = (typeof LOG_FORMATS)[number];

/** Maximum number of lines at level error with the same message in one window. Further lines are only counted; `alike` logs their number later. */
const ERRORS_MAX = 20;
const ERRORS_WINDOW_MS = 10_000;
/** Maximum number of messages that are counted separately. */
const MESSAGES_MAX = 200;

/**
 * Writes JSON lines to standard error. Fields that could contain a credential are redacted, so that a mistake in other code cannot log a credential.
 * Request paths are logged as routes (`/api/admin/api-tokens/:token`), never as the caller sent them.
 *
 * The format `auto` means `pretty` on a terminal and `json` otherwise.
 */
export function createLogger(level: LogLevel, format: LogFormat = 'json'): Logger {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stderr.isTTY === true);
  const write = (line: string) => process.stderr.write(isPretty ? prettyLine(line) : line);
  return loggerTo(level, write, () => performance.now());
}

/** Same as `createLogger`, but `write` gets the JSON lines. */
export function loggerTo(level: LogLevel, write: (line: string) => void, nowMs: () => number): Logger {
  const sample = new Sample(nowMs);
  return pino(
    {
      hooks: {
        // An error that occurs a thousand times a second is logged only a few times, with the number of lines that were not logged.
        logMethod(args, method, levelNumber) {
          const omitted = levelNumber === ERROR_LEVEL ? sample.count(args.find((part) => typeof part === 'string')) : 0;
          if (omitted === null) return;
          const [first] = args as readonly unknown[];
          if (omitted > 0 && first instanceof Error) Object.assign(args, [{ err: first, alike: omitted }]);
          else if (omitted > 0 && typeof first === 'object') Object.assign(args, [{ ...first, alike: omitted }]);
          method.apply(this, args);
        },
      },
      level,
      base: { service: 'burgee' },
      timestamp: stdTimeFunctions.isoTime,
      redact: ['secret', 'token', 'authorization', 'password', '*.secret', '*.token', '*.authorization', '*.password'],
    },
    { write },
  );
}

const ERROR_LEVEL = 50;

interface Window {
  beganMs: number;
  logged: number;
  /** Number of lines that were not logged since the last logged one. */
  omitted: number;
}

/** Decides which of many equal errors are logged. */
class Sample {
  readonly #nowMs: () => number;
  readonly #windows = new Map<string, Window>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * Counts one line. Returns null if it must not be logged. Otherwise returns the number of omitted lines with this message since the last logged
   * one.
   */
  count(message = ''): number | null {
    const nowMs = this.#nowMs();
    let window = this.#windows.get(message);
    if (!window) {
      if (this.#windows.size >= MESSAGES_MAX) this.#windows.clear();
      window = { beganMs: nowMs, logged: 0, omitted: 0 };
      this.#windows.set(message, window);
    }
    if (nowMs - window.beganMs >= ERRORS_WINDOW_MS) {
      window.beganMs = nowMs;
      window.logged = 0;
    }
    if (window.logged >= ERRORS_MAX) {
      window.omitted++;
      return null;
    }
    window.logged++;
    const { omitted } = window;
    window.omitted = 0;
    return omitted;
  }
}

const LEVEL_NAMES: Readonly<Record<number, string>> = { 20: 'DEBUG', 30: 'INFO', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' };

/** Formats a JSON line for people: time, level, message, and the other fields unchanged. The line is already redacted. */
export function prettyLine(line: string): string {
  const { level, time, msg, service: _service, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const parts = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const { stack, message } = (err ?? {}) as { stack?: string; message?: string };
  const errorText =
    err === undefined ? '' : `\n    ${(stack ?? message ?? JSON.stringify(err)).replaceAll('\n', '\n    ')}`;
  const head = `${String(time)} ${(LEVEL_NAMES[Number(level)] ?? String(level)).padEnd(5)} ${String(msg ?? '')}`;
  return `${[head, ...parts].join(' ')}${errorText}\n`;
}

/** A logger that writes nothing, for tests and benchmarks. */
export const silentLogger: Logger = pino({ level: 'silent' });
