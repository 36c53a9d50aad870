import Type, { type Static } from 'typebox';
import type { Rejection } from '../base/rejection.ts';
import { Rejection as Refused } from '../base/rejection.ts';
import { validateLarge } from '../base/validation.ts';
import { ToldFlag, ToldSegment } from '../commands/mirror-input.ts';
import { parseLargeJson } from '../http/json.ts';
import { Nullable } from '../model/primitives.ts';

/** A list of the client API, of version 1 or 2. */
const ToldList = Type.Object({
  features: Type.Array(ToldFlag),
  segments: Type.Optional(Nullable(Type.Array(ToldSegment))),
});

/** The list in an answer, or why it is none. Parsed and checked in turns of the loop. */
export async function readList(
  body: Uint8Array,
): Promise<{ readonly features: ToldFlag[]; readonly segments: ToldSegment[] } | Rejection> {
  const parsed = await parseLargeJson(body);
  if (parsed instanceof Refused) return parsed;
  const problem = await validateLarge(ToldList, parsed.value, 'answer');
  if (problem) return problem;
  const { features, segments } = parsed.value as Static<typeof ToldList>;
  return { features, segments: segments ?? [] };
}
