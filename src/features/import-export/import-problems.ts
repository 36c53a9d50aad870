import { type ErrorDetail, type ErrorName, Rejection } from '../../base/rejection.ts';

/** One thing that is wrong, or odd, about an import, and what it is about. */
interface ImportProblem {
  readonly message: string;
  readonly affectedItems: readonly string[];
}

/** Items of one problem that are told in an error. */
const ITEMS_MAX = 20;

/** Items of one problem that are kept, for the validation to tell; the others are counted. */
const KEPT_MAX = 1_000;

/**
 * What kind of no a problem is: the import is wrong or refers to what does not exist; it is more than is allowed; it clashes with what exists; the
 * caller may not do it.
 */
type ProblemKind = 'invalid' | 'limit' | 'conflict' | 'forbidden';

/** Gathers the problems of an import, so that people learn of all of them at once. */
export class ImportProblems {
  readonly #found = new Map<string, { readonly items: string[]; count: number }>();
  readonly #kinds = new Set<ProblemKind>();

  add(message: string, item: string, kind: ProblemKind = 'invalid'): void {
    this.#kinds.add(kind);
    const found = this.#found.get(message) ?? { items: [], count: 0 };
    this.#found.set(message, found);
    found.count++;
    if (found.items.length < KEPT_MAX) found.items.push(item);
  }

  list(): readonly ImportProblem[] {
    return Array.from(this.#found, ([message, { items, count }]) => ({
      message,
      affectedItems: count > items.length ? [...items, `and ${count - items.length} more`] : items,
    }));
  }

  /** Undefined when there are none. */
  rejection(): Rejection | undefined {
    const details: ErrorDetail[] = Array.from(this.#found, ([message, { items, count }]) => {
      const more = count > ITEMS_MAX ? ` and ${count - ITEMS_MAX} more` : '';
      return { message: `${message} ${items.slice(0, ITEMS_MAX).join(', ')}${more}` };
    });
    if (details.length === 0) return undefined;
    const message = `Nothing was imported. ${details.map((detail) => detail.message).join(' ')}`;
    return new Rejection(this.#errorName(), message.endsWith('.') ? message : `${message}.`, details);
  }

  /** Of several kinds, the one that has to be mended first. */
  #errorName(): ErrorName {
    if (this.#kinds.has('invalid')) return 'ValidationError';
    return this.#kinds.has('conflict') ? 'NameExistsError' : 'NoAccessError';
  }
}
