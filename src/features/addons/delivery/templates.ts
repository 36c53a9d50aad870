import mustache from 'mustache';
import type { Steps } from '../../../base/yield-control.ts';

/** A part of a parsed template, as the parser of `mustache` returns it: kind, text or name, and for sections the parts inside. */
type Token = readonly [
  kind: string,
  text: string,
  start: number,
  end: number,
  inside?: readonly Token[],
  close?: number,
];

/** Most parts of a template that are written for one message, counted again in each repetition of a section, and the repetitions. */
const PARTS_MAX = 20_000;
/** Most sections inside each other. */
const DEPTH_MAX = 20;

const PARSER = new mustache.Writer();
// The cache of the parser has no bound.
(PARSER as { templateCache?: unknown }).templateCache = undefined;

/** The problem of a template, as a sentence; undefined if it is valid. */
export function templateProblem(template: string): string | undefined {
  const tokens = parse(template);
  if (typeof tokens === 'string') return tokens;
  return depthOf(tokens) > DEPTH_MAX ? `more than ${DEPTH_MAX} sections are inside each other` : undefined;
}

function parse(template: string): readonly Token[] | string {
  try {
    return PARSER.parse(template) as unknown as readonly Token[];
  } catch (error) {
    return (error as Error).message;
  }
}

function depthOf(tokens: readonly Token[], depth = 0): number {
  if (depth > DEPTH_MAX) return depth;
  return tokens.reduce(
    (deepest, [, , , , inside]) => Math.max(deepest, inside ? depthOf(inside, depth + 1) : depth),
    0,
  );
}

/**
 * Fills in a Mustache template. Only the parser is that of `mustache`: its renderer calls functions that it finds in the data, reads inherited
 * properties, and does not bound the result of sections inside each other. Here a name is only ever an own property of JSON data, partials are empty,
 * and the text is undefined if it would be longer than `lengthMax` characters or need too much work.
 */
export function* filledIn(template: string, view: object, lengthMax: number): Steps<string | undefined> {
  const tokens = parse(template);
  if (typeof tokens === 'string') return undefined;
  const filling = new Filling(lengthMax);
  return (yield* filling.write(tokens, [view])) ? filling.text : undefined;
}

class Filling {
  text = '';
  readonly #lengthMax: number;
  #parts = 0;
  readonly #jsonOf = new WeakMap<object, string>();

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /** Returns false if a bound is reached. */
  *write(tokens: readonly Token[], contexts: readonly unknown[]): Steps<boolean> {
    for (const [kind, text, , , inside = []] of tokens) {
      if (++this.#parts > PARTS_MAX || contexts.length > DEPTH_MAX + 2) return false;
      if (kind === '#' || kind === '^') {
        if (!(yield* this.#section(kind, inside, found(text, contexts), contexts))) return false;
      } else if (kind === 'text') this.text += text;
      else if (kind === 'name') this.text += escaped(this.#textOf(found(text, contexts)));
      else if (kind === '&') this.text += this.#textOf(found(text, contexts));
      if (this.text.length > this.#lengthMax) return false;
      yield;
    }
    return true;
  }

  *#section(kind: '#' | '^', inside: readonly Token[], value: unknown, contexts: readonly unknown[]): Steps<boolean> {
    const isEmpty = !value || (Array.isArray(value) && value.length === 0);
    if (kind === '^') return isEmpty ? yield* this.write(inside, contexts) : true;
    if (isEmpty) return true;
    for (const item of Array.isArray(value) ? value : [value])
      if (++this.#parts > PARTS_MAX || !(yield* this.write(inside, [...contexts, item]))) return false;
    return true;
  }

  #textOf(value: unknown): string {
    if (value === undefined || value === null) return '';
    if (typeof value !== 'object') return String(value);
    const known = this.#jsonOf.get(value);
    if (known !== undefined) return known;
    const json = JSON.stringify(value);
    this.#jsonOf.set(value, json);
    return json;
  }
}

/** The value of a name, such as `event.data.name`: in the innermost object that has its first part. */
function found(name: string, contexts: readonly unknown[]): unknown {
  if (name === '.') return contexts.at(-1);
  const [first = '', ...rest] = name.split('.');
  const owner = contexts.findLast((context) => hasOwn(context, first));
  let value = ownValue(owner, first);
  for (const part of rest) value = ownValue(value, part);
  return value;
}

function hasOwn(value: unknown, name: string): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

function ownValue(value: unknown, name: string): unknown {
  return hasOwn(value, name) ? value[name] : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** As Mustache escapes names in two braces. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
