import { ConfigError } from '../../base/options.ts';

/** Reads a value of Edge's switches. @throws ConfigError */
export function readSwitch(text: string, variable: string): boolean {
  if (/^(true|1|yes|on)$/i.test(text)) return true;
  if (/^(false|0|no|off)$/i.test(text)) return false;
  throw new ConfigError(`${variable} must be true or false, not "${text}"`);
}
