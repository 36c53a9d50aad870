import type { Place, SentContext } from './contexts.ts';
import type { MadeUpContexts } from './made-up-contexts.ts';

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
