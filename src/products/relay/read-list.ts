import Type, { type Static } from 'typebox';
import { SERVICE } from '../../base/asking/asker.ts';
import { parseLargeJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validateLarge } from '../../base/validation.ts';
import { Slicer } from '../../base/yield-control.ts';
import { Nullable } from '../../model/primitives.ts';
import { SourceFlag, SourceSegment } from '../mirror/mirror-input.ts';

/** A list of the client API, of version 1 or 2. */
const ClientList = Type.Object({
  features: Type.Array(SourceFlag),
  segments: Type.Optional(Nullable(Type.Array(SourceSegment))),
});

/** The content of a list. */
export interface SourceList {
  readonly features: SourceFlag[];
  readonly segments: SourceSegment[];
}

/**
 * Reads the list in an answer. A rejection says why the answer is not a list. The answer is parsed and checked in steps, over several turns of the
 * event loop.
 */
export async function readList(body: Uint8Array): Promise<SourceList | Rejection> {
  const parsed = await parseLargeJson(body, SERVICE);
  return parsed instanceof Rejection ? parsed : listOf(parsed.value);
}

/** Like `readList`, for a parsed value. */
export async function listOf(value: unknown): Promise<SourceList | Rejection> {
  const problem = await validateLarge(ClientList, value, 'answer', Slicer.of(SERVICE));
  if (problem) return problem;
  const { features, segments } = value as Static<typeof ClientList>;
  return { features, segments: segments ?? [] };
}
