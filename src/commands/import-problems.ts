import { type ErrorDetail, Rejection } from '../base/rejection.ts';

/** One thing that is wrong, or odd, about an import, and what it is about. */
export interface ImportProblem {
  readonly message: string;
  readonly affectedItems: readonly string[];
}

/** Items of one problem that are told in an error; the validation tells all. */
const ITEMS_MAX = 20;

/** Gathers the problems of an import, so that people learn of all of them at once. */
export class ImportProblems {
  readonly #items = new Map<string, string[]>();
  #onlyConflicts = true;

  /** The request itself is wrong, or refers to what does not exist. */
  add(message: string, item: string): void {
    this.#onlyConflicts = false;
    this.#note(message, item);
  }

  /** What is imported clashes with what exists. */
  addConflict(message: string, item: string): void {
    this.#note(message, item);
  }

  list(): readonly ImportProblem[] {
    return Array.from(this.#items, ([message, affectedItems]) => ({ message, affectedItems }));
  }

  /** Undefined when there are none. */
  rejection(): Rejection | undefined {
    const details: ErrorDetail[] = this.list().map(({ message, affectedItems }) => {
      const more = affectedItems.length > ITEMS_MAX ? ` and ${affectedItems.length - ITEMS_MAX} more` : '';
      return { message: `${message} ${affectedItems.slice(0, ITEMS_MAX).join(', ')}${more}` };
    });
    if (details.length === 0) return undefined;
    const message = `Nothing was imported. ${details.map((detail) => detail.message).join(' ')}`;
    return new Rejection(this.#onlyConflicts ? 'NameExistsError' : 'ValidationError', message, details);
  }

  #note(message: string, item: string): void {
    const items = this.#items.get(message);
    if (items) items.push(item);
    else this.#items.set(message, [item]);
  }
}
