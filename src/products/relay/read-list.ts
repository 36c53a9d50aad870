import Type, { type Static } from 'typebox';
import { parseLargeJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validateLarge } from '../../base/validation.ts';
import { Nullable } from '../../model/primitives.ts';
import { ToldFlag, ToldSegment } from '../mirror/mirror-input.ts';

/** A list of the client API, of version 1 or 2. */
const ClientList = Type.Object({
  features: Type.Array(ToldFlag),
  segments: Type.Optional(Nullable(Type.Array(ToldSegment))),
});

/** What a list tells. */
export interface ToldList {
  readonly features: ToldFlag[];
  readonly segments: ToldSegment[];
}

/** The list in an answer, or why it is none. Parsed and checked in turns of the loop. */
export async function readList(body: Uint8Array): Promise<ToldList | Rejection> {
  const parsed = await parseLargeJson(body);
  return parsed instanceof Rejection ? parsed : listOf(parsed.value);
}

/** The same of what was parsed already. */
export async function listOf(value: unknown): Promise<ToldList | Rejection> {
  const problem = await validateLarge(ClientList, value, 'answer');
  if (problem) return problem;
  const { features, segments } = value as Static<typeof ClientList>;
  return { features, segments: segments ?? [] };
}
