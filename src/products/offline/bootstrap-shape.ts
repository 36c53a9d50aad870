import type { TSchema } from 'typebox';
import { shortened } from '../../base/shortened.ts';
import { validate } from '../../base/validation.ts';
import type { SourceFlag, SourceSegment } from '../mirror/mirror-input.ts';

/** What a file says of flags. It is the same in every environment. */
export interface Bootstrap {
  /** Which of the three forms the file has. */
  readonly form: 'client features' | 'export' | 'simplified';
  readonly flags: readonly SourceFlag[];
  readonly segments: readonly SourceSegment[];
  /** What of it cannot be kept, in sentences. */
  readonly warnings: readonly string[];
}

/** What stands in a file besides its form. */
export type Content = Omit<Bootstrap, 'form'>;

/** What is wrong with a bootstrap file, in a sentence for people that begins with "it". */
export class BootstrapError extends Error {
  override readonly name = 'BootstrapError';
}

/** Characters of a name that are shown. */
const SHOWN_LENGTH = 100;

/** A name as messages show it, however long it is. */
export function quoted(name: string): string {
  return JSON.stringify(shortened(name, SHOWN_LENGTH));
}

/** A part of the file that has to be of this shape. @throws BootstrapError that says where it is not */
export function checked<T>(schema: TSchema, value: unknown, where: string): T {
  const problem = validate(schema, value, '');
  if (!problem) return value as T;
  const [first] = problem.details;
  const name = isObject(value) && typeof value.name === 'string' ? ` (${quoted(value.name)})` : '';
  const path = first?.path ? `, ${first.path.slice(1)}` : '';
  throw new BootstrapError(
    `${where}${name}${path}: ${(first?.message ?? 'is not understood').slice(first?.path?.length ?? 0).trim()}`,
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
