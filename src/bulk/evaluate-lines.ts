import type { ByteBuffer } from '../base/byte-buffer.ts';
import { invalid, Rejection } from '../base/rejection.ts';
import type { CompiledFlag, FlagLookup } from '../evaluation/compile.ts';
import type { EvaluationContext } from '../evaluation/context.ts';
import { resolve } from '../evaluation/evaluate.ts';
import { evaluationContext } from '../evaluation/sdk-context.ts';
import { toggleJson } from '../evaluation/toggle-json.ts';
import { ON, type Resolution } from '../evaluation/variant.ts';
import type { SdkContext } from '../model/context.ts';

/** The flags a request asks for. Parents are found whether asked for or not. */
export interface FlagSelection {
  readonly flags: readonly CompiledFlag[];
  readonly find: FlagLookup;
}

export interface LineOptions {
  readonly environment: string;
  readonly nowMs: number;
  readonly random: () => number;
}

/**
 * Adds the answer to one context line: `{"line":n,"toggles":[…]}`, or `{"line":n,"error":{…}}` when the line is no context. Ends with a
 * newline. False when it was none.
 */
export function answerLine(
  out: ByteBuffer,
  text: string,
  line: number,
  selection: FlagSelection,
  options: LineOptions,
): boolean {
  const context = readContext(text, options);
  if (context instanceof Rejection) {
    const error = JSON.stringify({ name: context.name, message: context.message });
    out.addText(`{"line":${line},"error":${error}}\n`);
    return false;
  }
  out.addText(`{"line":${line},"toggles":[`);
  let isFirst = true;
  const { flags, find } = selection;
  for (let index = 0; index < flags.length; index++) {
    const flag = flags[index] as CompiledFlag;
    const resolution = resolve(flag, context, find);
    if (!resolution.on) continue;
    if (!isFirst) out.addByte(COMMA);
    isFirst = false;
    out.addBytes(toggleBytes(flag, resolution));
  }
  out.addBytes(END_OF_LINE);
  return true;
}

const COMMA = 0x2c;
const END_OF_LINE = Buffer.from(']}\n');

/** Encoded once for each flag and variant; `ON` is shared by all flags, so what it means is kept beside the flag. */
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

/** Which of the flags are asked for. */
export function selectFlags(
  flags: readonly CompiledFlag[],
  features: readonly string[] | null,
  namePrefix: string | null,
): readonly CompiledFlag[] {
  if (features === null && namePrefix === null) return flags;
  const names = features === null ? null : new Set(features);
  return flags.filter(({ name }) => (names?.has(name) ?? true) && name.startsWith(namePrefix ?? ''));
}

function readContext(text: string, { environment, nowMs, random }: LineOptions): EvaluationContext | Rejection {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return invalid(`The line is not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}.`);
  }
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
