import type { TSchema } from 'typebox';
import { shortened } from '../../base/shortened.ts';
import { validate } from '../../base/validation.ts';
import type { SourceFlag, SourceSegment } from '../mirror/mirror-input.ts';

/** The flags and segments of a file. They are the same in every environment. */
export interface Bootstrap {
  /** Which of the three forms the file has. */
  readonly form: 'client features' | 'export' | 'simplified';
  readonly flags: readonly SourceFlag[];
  readonly segments: readonly SourceSegment[];
  /** Sentences about flags that are served differently, because the file does not contain everything about them. */
  readonly warnings: readonly string[];
}

/** The content of a file without its form. */
export type Content = Omit<Bootstrap, 'form'>;

/** A problem with a bootstrap file, worded for people. The caller puts the path of the file before the message. */
export class BootstrapError extends Error {
  override readonly name = 'BootstrapError';
}

/** Maximum number of characters of a name in a message. */
const SHOWN_LENGTH = 100;

/** A name in quotation marks for messages, shortened if it is too long. */
export function quoted(name: string): string {
  return JSON.stringify(shortened(name, SHOWN_LENGTH));
}

/** Returns a part of the file if it matches the schema. @throws BootstrapError that names the place that does not match */
export function checkShape<T>(schema: TSchema, value: unknown, where: string): T {
  const problem = validate(schema, value, '');
  if (!problem) return value as T;
  const [firstProblem] = problem.details;
  const name = isObject(value) && typeof value.name === 'string' ? ` (${quoted(value.name)})` : '';
  const path = firstProblem?.path ? `, ${firstProblem.path.slice(1)}` : '';
  throw new BootstrapError(
    `${where}${name}${path}: ${(firstProblem?.message ?? 'is not understood').slice(firstProblem?.path?.length ?? 0).trim()}`,
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
