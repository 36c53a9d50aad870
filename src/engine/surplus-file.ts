import { open } from 'node:fs/promises';
import type { GivenUp } from '../model/surplus-mark.ts';

/** The first line is far shorter. */
const HEAD_BYTES_MAX = 4_096;

/** First line of a file of commits that were given up. */
export interface SurplusHead extends Omit<GivenUp, 'file'> {
  readonly kind: 'surplus';
  readonly savedAt: string;
}

/** Within `DATA_DIR`. */
export function surplusFileName(epoch: string, seq: number): string {
  return `surplus-${epoch}-${seq}.ndjson`;
}

export function isSurplusFile(name: string): boolean {
  return /^surplus-.+\.ndjson$/.test(name);
}

/** Null when the line is not one. Files of older versions do not tell the writeId. */
export function toSurplusHead(line: string): SurplusHead | null {
  let head: Partial<SurplusHead> | null;
  try {
    head = JSON.parse(line);
  } catch {
    return null;
  }
  const { kind, epoch, writeId = '', fromSeq, throughSeq, savedAt = '' } = head ?? {};
  if (kind !== 'surplus' || typeof epoch !== 'string' || !isRevision(fromSeq) || !isRevision(throughSeq)) return null;
  return { kind, epoch, writeId, fromSeq, throughSeq, savedAt };
}

/** @throws when the file cannot be read. Null when it is not that of a surplus. */
export async function readSurplusHead(path: string): Promise<SurplusHead | null> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES_MAX), 0, HEAD_BYTES_MAX, 0);
    return toSurplusHead(buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? '');
  } finally {
    await file.close();
  }
}

function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
