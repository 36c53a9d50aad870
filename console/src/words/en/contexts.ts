import type { ContextsProblem } from '../../domain/contexts.ts';
import { numberText } from '../number-text.ts';
import { invalidJson } from './json.ts';
import { save } from './save.ts';

/** Why a pasted text is not contexts. */
export function problemOfContexts(problem: ContextsProblem): string {
  if (problem.kind === 'nothing') return 'Paste at least one context';
  if (problem.kind === 'tooMany') return `These are more than ${numberText(problem.most)} contexts`;
  if (problem.kind === 'tooLarge')
    return `These contexts are too large for one request: there is space for the first ${numberText(problem.fitting)}`;
  if (problem.kind === 'notJson') return invalidJson(problem.line, problem.expected, problem.found);
  const place = save.place(problem.place);
  if (problem.kind === 'notObject') return `${place} is not a JSON object`;
  return `${place}: ${problem.name} is neither a text nor a number`;
}

/** Texts of the contexts on which a change is tried. */
export const triedContexts = {
  choice: 'Contexts',
  madeUp: 'Made-up contexts',
  paste: 'Paste contexts…',
  count: (count: number) => `${numberText(count)} ${count === 1 ? 'context' : 'contexts'}`,
  pasted: 'Contexts as JSON',
  pastedHint:
    'One object on each line, or a list of objects, as SDKs send them. There is space for about 9,000 contexts with one field each, or 5,000 with two.',
  use: 'Try these contexts',
  name: 'Name of the set',
  nameHint: (most: number) => `Only you see it. A set has at most ${numberText(most)} contexts.`,
  nameMissing: 'Enter a name',
  setLong: (most: number) => `These are more than ${numberText(most)} contexts`,
  save: 'Save the set',
  saved: (name: string) => `Saved the contexts “${name}”`,
  remove: 'Delete the set',
  deleted: (name: string) => `Deleted “${name}”. Its contexts are in the field: you can save them again.`,
} as const;

/** Texts of the examples of a change. */
export const examples = {
  kinds: { offToOn: 'Off → on', onToOff: 'On → off', otherVariant: 'Another variant' },
  title: 'Examples',
  notSent: (when: string) => `${when}: SDKs do not get the flag.`,
  variant: 'Variant',
  payload: 'payload',
  explainSaved: 'Explain as saved now',
} as const;

/** A sentence names so many applications. */
const NAMED_MAX = 5;

/** Texts of names that nothing has. */
export const unknownNames = {
  unknownField: (name: string) =>
    `The context field \`${name}\` is not defined. Only applications that send exactly this name have it.`,
  unknownApplications: (names: readonly string[]) =>
    `No application that you may see has registered as ${names
      .slice(0, NAMED_MAX)
      .map((name) => `\`${name}\``)
      .join(' or ')}${names.length > NAMED_MAX ? `, and ${names.length - NAMED_MAX} more are unknown` : ''}.`,
} as const;
