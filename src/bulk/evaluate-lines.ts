import { invalid, Rejection } from '../base/rejection.ts';
import type { CompiledFlag, FlagLookup } from '../evaluation/compile.ts';
import type { EvaluationContext } from '../evaluation/context.ts';
import { resolve } from '../evaluation/evaluate.ts';
import { evaluationContext } from '../evaluation/sdk-context.ts';
import { toggleJson } from '../evaluation/toggle-json.ts';
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

/** The answer to one context line: `{"line":n,"toggles":[…]}`, or `{"line":n,"error":{…}}` when the line is no context. Ends with a newline. */
export function answerLine(text: string, line: number, selection: FlagSelection, options: LineOptions): string {
  const context = readContext(text, options);
  if (context instanceof Rejection) {
    return `{"line":${line},"error":${JSON.stringify({ name: context.name, message: context.message })}}\n`;
  }
  let json = `{"line":${line},"toggles":[`;
  let separator = '';
  for (const flag of selection.flags) {
    const resolution = resolve(flag, context, selection.find);
    if (!resolution.on) continue;
    json += separator + toggleJson(flag, resolution);
    separator = ',';
  }
  return `${json}]}\n`;
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
