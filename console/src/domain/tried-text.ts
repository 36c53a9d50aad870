import { type ContextsProblem, pastedContexts, type SentContext, STANDARD_FIELDS } from './contexts.ts';
import type { ChosenContexts } from './tried-contexts.ts';

/** The API's usual limit for one preview. */
const PREVIEW_MAX = 10_000;

/** The API accepts bodies of a megabyte with 50,000 values, of which the changes need some. */
const BYTES_MAX = 900_000;
const VALUES_MAX = 49_000;
/** As the API counts: a key as three values, and the mark before it as one. */
const FIELD_VALUES = 4;
/** What separates contexts. */
const CONTEXT_VALUES = 1;

let pastedCount = 0;

/** Pasted contexts, as they are tried. */
export interface TriedText {
  readonly chosen: ChosenContexts;
  /** As they were pasted. */
  readonly contexts: readonly SentContext[];
}

/** The contexts of a text, if all of them fit into one request. */
export function triedText(text: string): TriedText | { readonly problem: ContextsProblem } {
  const read = pastedContexts(text, PREVIEW_MAX);
  if ('problem' in read) return read;
  const { contexts, places } = read;
  const given = contexts.map(flat);
  const fitting = fittingOf(given);
  if (fitting < given.length) return { problem: { kind: 'tooLarge', fitting } };
  pastedCount++;
  return { chosen: { sent: { given }, places, key: `pasted ${pastedCount}` }, contexts };
}

const NOT_PROPERTIES: ReadonlySet<string> = new Set([...STANDARD_FIELDS, 'environment', 'properties']);

/** With the properties beside the other fields, where they mean the same: more contexts fit into a request. */
function flat(context: SentContext): SentContext {
  const { properties, ...direct } = context;
  if (typeof properties !== 'object') return context;
  const isAmbiguous = Object.keys(properties).some((name) => NOT_PROPERTIES.has(name) || name in direct);
  return isAmbiguous ? context : { ...direct, ...properties };
}

/** How many of the contexts fit into one request. */
function fittingOf(contexts: readonly SentContext[]): number {
  const encoder = new TextEncoder();
  let bytes = 0;
  let values = 0;
  const first = contexts.findIndex((context) => {
    const { properties } = context;
    const fields = Object.keys(context).length + (typeof properties === 'object' ? Object.keys(properties).length : 0);
    bytes += encoder.encode(JSON.stringify(context)).length + 1;
    values += CONTEXT_VALUES + fields * FIELD_VALUES;
    return bytes > BYTES_MAX || values > VALUES_MAX;
  });
  return first === -1 ? contexts.length : first;
}
