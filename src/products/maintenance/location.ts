import { resolve } from 'node:path';
import { ConnectionStringError, describeTarget, parseConnectionString } from '../../stores/redis/connection-string.ts';
import { UsageError } from '../program/subcommand.ts';

/** The store or file from which a history is read, or to which it is written. */
export type Location =
  | { readonly kind: 'lmdb'; readonly directory: string }
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string };

const EXPECTED = 'expected lmdb:DIRECTORY, redis://… (rediss, redis-sentinel, redis-cluster) or file:PATH';

/**
 * Parses a location. Messages contain the name of the `option`, and no part of the text, because the text may contain a password.
 * @throws UsageError
 */
export function parseLocation(text: string, option: string): Location {
  const [, scheme = '', rest = ''] = /^([a-z+-]+):(.*)$/s.exec(text.trim()) ?? [];
  if (scheme === 'lmdb' && rest !== '') return { kind: 'lmdb', directory: resolve(rest) };
  if (scheme === 'file' && rest !== '') return { kind: 'file', path: resolve(rest) };
  if (!/^rediss?([-+](sentinel|cluster))?$/.test(scheme))
    throw new UsageError(`${option} is not a location: ${EXPECTED}`);
  try {
    parseConnectionString(text);
  } catch (error) {
    if (error instanceof ConnectionStringError) throw new UsageError(`${option} is ${error.message}`);
    throw error;
  }
  return { kind: 'redis', url: text.trim() };
}

/** Same as `parseLocation`, but accepts only a file. The prefix `file:` is optional. @throws UsageError */
export function parseFile(text: string, option: string): Location {
  if (/^(lmdb:|rediss?[:+-])/.test(text.trim())) throw new UsageError(`${option} is not a file`);
  const path = text.trim().replace(/^file:/, '');
  if (path === '') throw new UsageError(`${option} is not a file`);
  return { kind: 'file', path: resolve(path) };
}

/** The location as text for users. The text for a Redis contains no user name and no password. */
export function describeLocation(location: Location): string {
  if (location.kind === 'lmdb') return `lmdb:${location.directory}`;
  return location.kind === 'file' ? `file:${location.path}` : describeTarget(parseConnectionString(location.url));
}
