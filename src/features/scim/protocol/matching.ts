import { Rejection } from '../../../base/rejection.ts';
import { type Attribute, type Attributes, subAttribute } from './attributes.ts';
import type { Comparison, Condition } from './filter.ts';
import { invalidScim, type ScimRejection } from './protocol.ts';

/** A resource, or a value of a complex attribute, with the names of the schema. */
export type Doc = Readonly<Record<string, unknown>>;

export type Test = (doc: Doc) => boolean;

/** A test that a kind of resource makes without its document; undefined if the document decides. */
export type OwnTest = (path: string, condition: Condition) => Test | Rejection | undefined;

/** Compiles a condition on a resource. Names are resolved here, once, and not for each resource. */
export function matcher(
  attributes: Attributes,
  condition: Condition,
  own: OwnTest = () => undefined,
): Test | Rejection {
  switch (condition.op) {
    case 'and':
    case 'or': {
      const tests: Test[] = [];
      for (const part of condition.parts) {
        const test = matcher(attributes, part, own);
        if (test instanceof Rejection) return test;
        tests.push(test);
      }
      return condition.op === 'and'
        ? (doc) => tests.every((test) => test(doc))
        : (doc) => tests.some((test) => test(doc));
    }
    case 'not': {
      const test = matcher(attributes, condition.part, own);
      return test instanceof Rejection ? test : (doc) => !test(doc);
    }
    default:
      return own(condition.path, condition) ?? attributeTest(attributes, condition);
  }
}

function attributeTest(
  attributes: Attributes,
  condition: Exclude<Condition, { readonly op: 'and' | 'or' | 'not' }>,
): Test | Rejection {
  const [name, subName] = attributes.split(condition.path);
  const attribute = attributes.find(name);
  if (attribute === 'unstored') return matcherOfNothing(condition);
  if (attribute === undefined) return unknownAttribute(condition.path);
  if (condition.op === 'any') {
    const test = attribute.subAttributes ? valueMatcher(attribute, condition.part) : unknownAttribute(condition.path);
    return test instanceof Rejection ? test : (doc) => valuesOf(doc, attribute).some((value) => test(value as Doc));
  }
  if (attribute.type !== 'complex') {
    if (subName !== undefined) return unknownAttribute(condition.path);
    return simpleTest(attribute, condition, (doc) => valuesOf(doc, attribute));
  }
  // `emails co "x"` is the short form of `emails.value co "x"`; `emails pr` needs no value.
  if (subName === undefined && condition.op === 'pr') return (doc) => valuesOf(doc, attribute).length > 0;
  const sub = subAttribute(attribute, subName ?? 'value');
  if (sub === 'unstored') return matcherOfNothing(condition);
  if (sub === undefined) return unknownAttribute(condition.path);
  return simpleTest(sub, condition, (doc) => valuesOf(doc, attribute).flatMap((value) => valuesOf(value as Doc, sub)));
}

/** Compiles a condition on one value of a complex attribute, as in `emails[type eq "work"]`. */
export function valueMatcher(parent: Attribute, condition: Condition): Test | Rejection {
  switch (condition.op) {
    case 'and':
    case 'or': {
      const tests: Test[] = [];
      for (const part of condition.parts) {
        const test = valueMatcher(parent, part);
        if (test instanceof Rejection) return test;
        tests.push(test);
      }
      return condition.op === 'and'
        ? (value) => tests.every((test) => test(value))
        : (value) => tests.some((test) => test(value));
    }
    case 'not': {
      const test = valueMatcher(parent, condition.part);
      return test instanceof Rejection ? test : (value) => !test(value);
    }
    case 'any':
      return unknownAttribute(condition.path);
    default: {
      const sub = subAttribute(parent, condition.path);
      if (sub === 'unstored') return matcherOfNothing(condition);
      if (sub === undefined) return unknownAttribute(`${parent.name}.${condition.path}`);
      return simpleTest(sub, condition, (value) => valuesOf(value, sub));
    }
  }
}

function simpleTest(
  attribute: Attribute,
  condition: Exclude<Condition, { readonly op: 'and' | 'or' | 'not' | 'any' }>,
  valuesIn: (doc: Doc) => readonly unknown[],
): Test {
  if (condition.op === 'pr') return (doc) => valuesIn(doc).length > 0;
  const { op } = condition;
  const isNull = condition.value === null;
  const wanted = comparableValue(attribute, condition.value);
  if (op === 'ne')
    return isNull
      ? (doc) => valuesIn(doc).length > 0
      : (doc) => !valuesIn(doc).some((value) => comparableValue(attribute, value) === wanted);
  if (isNull) return op === 'eq' ? (doc) => valuesIn(doc).length === 0 : () => false;
  return (doc) => valuesIn(doc).some((value) => holds(op, comparableValue(attribute, value), wanted));
}

/** An attribute that is never stored has no value. */
function matcherOfNothing(condition: Condition): Test {
  const isMet = condition.op === 'ne' || (condition.op === 'eq' && condition.value === null);
  return () => isMet;
}

function valuesOf(doc: Doc, { name, multiValued }: Attribute): readonly unknown[] {
  const value = doc[name];
  if (value === undefined || value === null) return [];
  return multiValued && Array.isArray(value) ? value : [value];
}

/** The form in which values are compared. Identity providers also send booleans and times as text. */
function comparableValue({ type, caseExact }: Attribute, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'boolean') return value.toLowerCase() === 'true';
  if (type === 'dateTime') {
    const ms = Date.parse(value);
    return Number.isNaN(ms) ? value : ms;
  }
  return caseExact ? value : value.toLowerCase();
}

function holds(op: Exclude<Comparison, 'ne'>, value: unknown, wanted: unknown): boolean {
  if (op === 'eq') return value === wanted;
  if (typeof value !== typeof wanted) return false;
  if (typeof value === 'string' && typeof wanted === 'string') {
    if (op === 'co') return value.includes(wanted);
    if (op === 'sw') return value.startsWith(wanted);
    if (op === 'ew') return value.endsWith(wanted);
    return ordered(op, value, wanted);
  }
  return typeof value === 'number' && typeof wanted === 'number' && ordered(op, value, wanted);
}

function ordered<T extends string | number>(op: Comparison, value: T, wanted: T): boolean {
  if (op === 'gt') return value > wanted;
  if (op === 'ge') return value >= wanted;
  if (op === 'lt') return value < wanted;
  return op === 'le' && value <= wanted;
}

function unknownAttribute(path: string): ScimRejection {
  return invalidScim('invalidFilter', `There is no attribute ${JSON.stringify(path.slice(0, 100))} to filter by.`);
}
