import { type ErrorDetail, type ErrorName, Rejection } from '../../base/rejection.ts';

/** An error or a warning about an import, and the items that it is about. */
interface ImportProblem {
  readonly message: string;
  readonly affectedItems: readonly string[];
}

/** Maximum number of items that an error message lists for one problem. */
const LISTED_ITEMS_MAX = 20;

/** Maximum number of items that are stored for one problem. The answer of a validation lists all of them. Further items are only counted. */
const STORED_ITEMS_MAX = 1_000;

/**
 * The kind of a problem. `invalid`: the import is wrong, or refers to something that does not exist. `limit`: it exceeds a limit. `conflict`: it
 * conflicts with something that exists. `forbidden`: the caller lacks a permission.
 */
type ProblemKind = 'invalid' | 'limit' | 'conflict' | 'forbidden';

/** Collects the problems of an import, so that one response reports all of them. */
export class ImportProblems {
  readonly #found = new Map<string, { readonly items: string[]; count: number }>();
  readonly #kinds = new Set<ProblemKind>();

  add(message: string, item: string, kind: ProblemKind = 'invalid'): void {
    this.#kinds.add(kind);
    const found = this.#found.get(message) ?? { items: [], count: 0 };
    this.#found.set(message, found);
    found.count++;
    if (found.items.length < STORED_ITEMS_MAX) found.items.push(item);
  }

  list(): readonly ImportProblem[] {
    return Array.from(this.#found, ([message, { items, count }]) => ({
      message,
      affectedItems: count > items.length ? [...items, `and ${count - items.length} more`] : items,
    }));
  }

  /** A rejection with all problems; undefined if there are no problems. */
  rejection(): Rejection | undefined {
    const details: ErrorDetail[] = Array.from(this.#found, ([message, { items, count }]) => {
      const more = count > LISTED_ITEMS_MAX ? ` and ${count - LISTED_ITEMS_MAX} more` : '';
      return { message: `${message} ${items.slice(0, LISTED_ITEMS_MAX).join(', ')}${more}` };
    });
    if (details.length === 0) return undefined;
    const message = `Nothing was imported. ${details.map((detail) => detail.message).join(' ')}`;
    return new Rejection(this.#errorName(), message.endsWith('.') ? message : `${message}.`, details);
  }

  /** The name of the error. If there are several kinds of problems, the kind that the user must fix first decides. */
  #errorName(): ErrorName {
    if (this.#kinds.has('invalid')) return 'ValidationError';
    return this.#kinds.has('conflict') ? 'NameExistsError' : 'NoAccessError';
  }
}

interface FlagProblem {
  readonly message: string;
  readonly item: string;
  readonly kind: ProblemKind | undefined;
}

/** Collects the problems of single flags. A flag with a problem is left out of the import, and the other flags are imported. */
export class FlagProblems {
  readonly #byFlag = new Map<string, FlagProblem[]>();

  add(flag: string, message: string, item: string, kind?: ProblemKind): void {
    const found = this.#byFlag.get(flag) ?? [];
    this.#byFlag.set(flag, found);
    found.push({ message, item, kind });
  }

  has(flag: string): boolean {
    return this.#byFlag.has(flag);
  }

  /** Adds the problems to the errors of the import. */
  addTo(errors: ImportProblems): void {
    for (const found of this.#byFlag.values())
      for (const { message, item, kind } of found) errors.add(message, item, kind);
  }

  /** Adds to the warnings of the import that these flags are left out. */
  addAsLeftOut(warnings: ImportProblems): void {
    for (const found of this.#byFlag.values()) for (const { item } of found) warnings.add(LEFT_OUT_MESSAGE, item);
  }
}

const LEFT_OUT_MESSAGE = 'These features are left out:';
