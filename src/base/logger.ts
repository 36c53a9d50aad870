import { type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * JSON lines on standard error. Fields that could carry a credential are cut out here as well, so that a careless call site cannot leak
 * one; request paths are logged as routes (`/api/admin/api-tokens/:token`), never as sent.
 */
export function createLogger(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: { service: 'burgee' },
      timestamp: stdTimeFunctions.isoTime,
      redact: ['secret', 'token', 'authorization', 'password', '*.secret', '*.token', '*.authorization', '*.password'],
    },
    { write: (line: string) => process.stderr.write(line) },
  );
}

/** For tests and benchmarks that have nothing to say. */
export const silentLogger: Logger = pino({ level: 'silent' });
