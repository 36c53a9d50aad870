import type { ByteBuffer } from '../../base/byte-buffer.ts';
import { parseJson } from '../../base/json-text.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { resolve } from '../../evaluation/evaluate.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import { toggleJson } from '../../evaluation/toggle-json.ts';
import { ON, type Resolution } from '../../evaluation/variant.ts';
import type { SdkContext } from '../../model/context.ts';
import { ANSWER_BYTES } from './protocol.ts';

/** The requested flags. `find` also finds parents that were not requested. */
export interface FlagSelection {
  readonly flags: readonly CompiledFlag[];
  readonly find: FlagLookup;
}

interface LineOptions {
  readonly environment: string;
  readonly nowMs: number;
  readonly random: () => number;
}

/** Results of `answerLine`. `ANSWERED`: the line was answered completely. `NO_CONTEXT`: the line is not a context. */
export const ANSWERED = 0;
export const NO_CONTEXT = -1;

/**
 * Adds the answer to one context line: `{"line":n,"toggles":[…]}`, or `{"line":n,"error":{…}}` if the line is not a context. The answer ends with a
 * newline. If `out` becomes full (`ANSWER_BYTES`), the answer stops after a toggle, and the function returns the number of finished flags: a further
 * call with that number adds the rest. `selection` is called only if the line is a context, because it may have to compile the flags.
 */
export function answerLine(
  out: ByteBuffer,
  text: Uint8Array,
  line: number,
  selection: () => FlagSelection,
  options: LineOptions,
  flagsDone = 0,
): number {
  const context = readContext(text, options);
  if (context instanceof Rejection) {
    const error = JSON.stringify({ name: context.name, message: context.message });
    out.addText(`{"line":${line},"error":${error}}\n`);
    return NO_CONTEXT;
  }
  // An interrupted answer always ends after a toggle.
  let isFirst = flagsDone === 0;
  if (isFirst) out.addText(`{"line":${line},"toggles":[`);
  const { flags, find } = selection();
  for (let index = flagsDone; index < flags.length; index++) {
    const flag = flags[index] as CompiledFlag;
    const resolution = resolve(flag, context, find);
    if (!resolution.on) continue;
    if (!isFirst) out.addByte(COMMA);
    isFirst = false;
    out.addBytes(toggleBytes(flag, resolution));
    if (out.lengthBytes >= ANSWER_BYTES) return index + 1;
  }
  out.addBytes(END_OF_LINE);
  return ANSWERED;
}

const COMMA = 0x2c;
const END_OF_LINE = Buffer.from(']}\n');

/**
 * The encoded toggles, encoded once for each flag and variant. The key is the resolution. Only the resolution `ON` is shared by all flags, so the key
 * for it is the flag.
 */
const encoded = new WeakMap<CompiledFlag | Resolution, Uint8Array>();

function toggleBytes(flag: CompiledFlag, resolution: Resolution): Uint8Array {
  const owner = resolution === ON ? flag : resolution;
  let bytes = encoded.get(owner);
  if (bytes === undefined) {
    bytes = Buffer.from(toggleJson(flag, resolution));
    encoded.set(owner, bytes);
  }
  return bytes;
}

/** Selects the requested flags. */
export function selectFlags(
  flags: readonly CompiledFlag[],
  features: readonly string[] | null,
  namePrefix: string | null,
): readonly CompiledFlag[] {
  if (features === null && namePrefix === null) return flags;
  const names = features === null ? null : new Set(features);
  return flags.filter(({ name }) => (names?.has(name) ?? true) && name.startsWith(namePrefix ?? ''));
}

const NEWLINE = 0x0a;

/** The line that starts at `start`, without its newline. */
export function lineAt(lines: Uint8Array, start: number): Uint8Array {
  const end = lines.indexOf(NEWLINE, start);
  return lines.subarray(start, end < 0 ? lines.length : end);
}

/** Reads a line as a context. It is validated like the body of a request: a context has the same rules in every format. */
function readContext(text: Uint8Array, { environment, nowMs, random }: LineOptions): EvaluationContext | Rejection {
  const parsed = parseJson(text);
  if (parsed instanceof Rejection) return invalid(parsed.message.replace(/^The body/, 'The line'));
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid('The line is not a context object.');
  const { properties } = value as SdkContext;
  if (
    properties !== undefined &&
    (typeof properties !== 'object' || properties === null || Array.isArray(properties))
  ) {
    return invalid('The properties of the context are not an object.');
  }
  return evaluationContext(value as SdkContext, {
    environment,
    nowMs,
    random,
    sessionId: String(Math.floor(random() * 1_000_000_000)),
  });
}
