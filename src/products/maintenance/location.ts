import { resolve } from 'node:path';
import { ConnectionStringError, describeTarget, parseConnectionString } from '../../stores/redis/connection-string.ts';
import { TransferError } from './transfer-error.ts';

/** Where a history is, or goes to. */
export type Location =
  | { readonly kind: 'lmdb'; readonly directory: string }
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string };

const EXPECTED = 'expected lmdb:DIRECTORY, redis://… (rediss, redis-sentinel, redis-cluster) or file:PATH';

/**
 * Parses a location. `option` is named in messages, which repeat nothing of the text: it may contain a password.
 * @throws TransferError
 */
export function parseLocation(text: string, option: string): Location {
  const [, scheme = '', rest = ''] = /^([a-z+-]+):(.*)$/s.exec(text.trim()) ?? [];
  if (scheme === 'lmdb' && rest !== '') return { kind: 'lmdb', directory: resolve(rest) };
  if (scheme === 'file' && rest !== '') return { kind: 'file', path: resolve(rest) };
  if (!/^rediss?([-+](sentinel|cluster))?$/.test(scheme))
    throw new TransferError(`${option} is not a location: ${EXPECTED}`);
  try {
    parseConnectionString(text);
  } catch (error) {
    if (error instanceof ConnectionStringError) throw new TransferError(`${option} is ${error.message}`);
    throw error;
  }
  return { kind: 'redis', url: text.trim() };
}

/** As `parseLocation`, where only a file makes sense and `file:` may be left out. @throws TransferError */
export function parseFile(text: string, option: string): Location {
  if (/^(lmdb:|rediss?[:+-])/.test(text.trim())) throw new TransferError(`${option} is not a file`);
  const path = text.trim().replace(/^file:/, '');
  if (path === '') throw new TransferError(`${option} is not a file`);
  return { kind: 'file', path: resolve(path) };
}

/** For people, without any name or password. */
export function describeLocation(location: Location): string {
  if (location.kind === 'lmdb') return `lmdb:${location.directory}`;
  return location.kind === 'file' ? `file:${location.path}` : describeTarget(parseConnectionString(location.url));
}
