import { type ContextsProblem, type Place, pastedContexts, type SentContext, STANDARD_FIELDS } from './contexts.ts';
import type { MadeUpContexts } from './made-up-contexts.ts';

/** The API's usual limit for one preview. */
const PREVIEW_MAX = 10_000;

/** The API accepts bodies of a megabyte with 50,000 values, of which the changes need some. */
const BYTES_MAX = 900_000;
const VALUES_MAX = 49_000;
/** As the API counts: a key as three values, and the mark before it as one. */
const FIELD_VALUES = 4;
/** What separates contexts. */
const CONTEXT_VALUES = 1;

/** Contexts that the person gave, instead of those that are made for the rules. */
export interface ChosenContexts {
  /** As the API takes them. */
  readonly sent: { readonly given: readonly SentContext[] } | { readonly sets: readonly number[] };
  /** The name of the saved set; undefined for pasted contexts. */
  readonly set?: string;
  /** Of each pasted context. */
  readonly places?: readonly Place[];
  /** Differs for different contexts. It stands for them in the keys of queries, because the contexts may be long. */
  readonly key: string;
}

/** Undefined: those that are made for the rules. Null: the person has not given them yet. */
export type Chosen = ChosenContexts | null | undefined;

/** The contexts of a preview. */
export type TriedContexts = MadeUpContexts | ChosenContexts;

export const isMadeUp = (contexts: TriedContexts): contexts is MadeUpContexts => 'combined' in contexts;

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

interface SavedSet {
  readonly id: number;
  readonly name: string;
  readonly updatedAt: string;
}

export const ofSet = ({ id, name, updatedAt }: SavedSet): ChosenContexts => ({
  sent: { sets: [id] },
  set: name,
  key: `set ${id} ${updatedAt}`,
});

/** The part of the key of a query that differs for other contexts. */
export const keyOfContexts = (contexts: TriedContexts) => (isMadeUp(contexts) ? contexts.sent : contexts.key);

/** The place of the context that a detail of a refusal is about. */
export function refusedPlace(contexts: TriedContexts, path: string | undefined): Place | undefined {
  const index = /^\/contexts\/given\/(\d+)/.exec(path ?? '')?.[1];
  return index === undefined || isMadeUp(contexts) ? undefined : contexts.places?.[Number(index)];
}
