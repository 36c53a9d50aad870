import Type, { type Static } from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { SCIM_LIMITS } from '../limits.ts';
import { type Attribute, type Attributes, subAttribute } from './attributes.ts';
import { type Condition, parseFilter, shown } from './filter.ts';
import { type Doc, type Test, valueMatcher } from './matching.ts';
import { invalidScim, SCHEMA } from './protocol.ts';
import { type Draft, isObject, PROPERTIES_MAX, storedValue } from './values.ts';

const OPS = ['add', 'replace', 'remove'] as const;

const Operation = Type.Object({
  op: Type.Enum([
    ...OPS,
    ...OPS.map((op) => `${op[0]?.toUpperCase()}${op.slice(1)}`),
    ...OPS.map((op) => op.toUpperCase()),
  ]),
  path: Type.Optional(Type.String({ maxLength: SCIM_LIMITS.scimFilterLength.max })),
  value: Type.Optional(Type.Unknown()),
});
export type Operation = Readonly<Static<typeof Operation>>;

export const Operations = Type.Array(Operation, { minItems: 1, maxItems: SCIM_LIMITS.scimOperations.max });

export const PatchBody = Type.Object(
  {
    schemas: Type.Array(Type.String(), { description: `Contains \`${SCHEMA.patch}\``, maxItems: 10 }),
    Operations,
  },
  { $id: 'scimPatch' },
);

type Op = (typeof OPS)[number];

/** What one operation changes. Without `path`, an operation has one target for each attribute in its value. */
export interface Target {
  readonly op: Op;
  readonly attribute: Attribute;
  /** Only of a target such as `emails[type eq "work"]`. */
  readonly condition?: Condition;
  readonly sub?: Attribute;
  readonly value: unknown;
}

/** The targets of an operation. What Burgee does not store has none. */
export function targetsOf(
  attributes: Attributes,
  { op: sentOp, path, value }: Operation,
): readonly Target[] | Rejection {
  const op = sentOp.toLowerCase() as Op;
  if (path !== undefined) {
    const target = targetOf(attributes, op, path, value, 'mutability');
    return target instanceof Rejection ? target : target === undefined ? [] : [target];
  }
  if (op === 'remove') return invalidScim('noTarget', 'To remove something, name it in `path`.');
  if (!isObject(value)) return invalidScim('invalidValue', 'Without `path`, `value` is an object.');
  const entries = Object.entries(value);
  if (entries.length > PROPERTIES_MAX)
    return invalidScim('invalidValue', `A value has at most ${PROPERTIES_MAX} attributes.`);
  const targets: Target[] = [];
  for (const [name, part] of entries) {
    // Okta repeats the id, and Entra writes paths such as `name.givenName` as names.
    const target = targetOf(attributes, op, name, part, 'ignored');
    if (target instanceof Rejection) return target;
    if (target) targets.push(target);
  }
  return targets;
}

const FILTERED = /^([^[\]]+)\[(.*)\](?:\.([^.[\]]+))?$/s;

function targetOf(
  attributes: Attributes,
  op: Op,
  path: string,
  value: unknown,
  readOnly: 'mutability' | 'ignored',
): Target | Rejection | undefined {
  const [, filteredName, filter, filteredSub] = FILTERED.exec(path.trim()) ?? [];
  const [name, subName] = filteredName === undefined ? attributes.split(path.trim()) : [filteredName, filteredSub];
  const attribute = attributes.find(name);
  // What Burgee does not store is ignored wherever it is written: in a resource, in a value and in a path.
  if (attribute === 'unstored' || attribute === undefined)
    return isName(filteredName ?? path.trim()) ? undefined : invalidPath(path);
  const sub = subName === undefined ? undefined : subAttribute(attribute, subName);
  if (sub === 'unstored' || (subName !== undefined && sub === undefined)) return undefined;
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') {
    return readOnly === 'ignored' ? undefined : invalidScim('mutability', `${shown(path)} cannot be changed.`);
  }
  let condition: Condition | undefined;
  if (filter !== undefined) {
    const parsed = attribute.multiValued ? parseFilter(filter) : invalidPath(path);
    if (parsed instanceof Rejection) return parsed;
    condition = parsed;
  }
  return { op, attribute, value, ...(condition && { condition }), ...(sub && { sub }) };
}

/** Applies the operations to a document of bounded size, in their order. */
export function* patched(attributes: Attributes, doc: Doc, operations: readonly Operation[]): Steps<Doc | Rejection> {
  const result: Draft = { ...doc };
  for (const operation of operations) {
    const targets = targetsOf(attributes, operation);
    if (targets instanceof Rejection) return targets;
    for (const target of targets) {
      const problem = apply(result, target);
      if (problem) return problem;
      yield;
    }
  }
  return result;
}

function apply(doc: Draft, target: Target): Rejection | undefined {
  const { name, multiValued, type } = target.attribute;
  if (multiValued) return applyToList(doc, target);
  if (type === 'complex') return applyToParts(doc, target);
  const value = target.op === 'remove' ? undefined : storedValue(target.attribute, target.value);
  if (value instanceof Rejection) return value;
  if (value === undefined && target.attribute.required)
    return invalidScim('mutability', `The attribute ${name} cannot be removed.`);
  return set(doc, name, value);
}

function set(doc: Draft, name: string, value: unknown): undefined {
  if (value === undefined) delete doc[name];
  else doc[name] = value;
}

/** Sub-attributes that the value does not name do not change (RFC 7644, 3.5.2.3). */
function applyToParts(doc: Draft, { op, attribute, sub, value }: Target): Rejection | undefined {
  const { name } = attribute;
  const before = (doc[name] ?? {}) as Doc;
  const after: Draft = { ...before };
  if (sub) {
    const part = op === 'remove' ? undefined : storedValue(sub, value);
    if (part instanceof Rejection) return part;
    set(after, sub.name, part);
  } else if (op === 'remove') return set(doc, name, undefined);
  else {
    const parts = storedValue(attribute, value);
    if (parts instanceof Rejection) return parts;
    Object.assign(after, parts);
  }
  return set(doc, name, Object.keys(after).length > 0 ? after : undefined);
}

function applyToList(doc: Draft, target: Target): Rejection | undefined {
  const { attribute, condition } = target;
  const before = (doc[attribute.name] ?? []) as readonly Doc[];
  let test: Test = () => true;
  if (condition) {
    const made = valueMatcher(attribute, condition);
    if (made instanceof Rejection) return made;
    test = made;
  }
  const after = target.sub || condition ? changedValues(before, test, target) : changedList(before, target);
  if (after instanceof Rejection) return after;
  if (after.length > SCIM_LIMITS.scimEmails.max)
    return invalidScim('invalidValue', `${attribute.name} has at most ${SCIM_LIMITS.scimEmails.max} values.`);
  return set(doc, attribute.name, after.length > 0 ? after : undefined);
}

/** Adds values to the list, replaces the list, or removes the list or the stated values. */
function changedList(before: readonly Doc[], { op, attribute, value }: Target): readonly Doc[] | Rejection {
  const stored = storedValue(attribute, value);
  if (stored instanceof Rejection) return stored;
  const sent = (stored ?? []) as readonly Doc[];
  if (op === 'remove')
    return value === undefined ? [] : before.filter((one) => !sent.some((other) => isSame(one, other)));
  if (op === 'replace') return sent;
  const kept = before.filter((one) => !sent.some((other) => isSame(one, other)));
  return onePrimary([...kept, ...sent], sent);
}

/** Changes or removes the values that meet the condition. */
function changedValues(
  before: readonly Doc[],
  test: Test,
  { op, attribute, sub, condition, value }: Target,
): readonly Doc[] | Rejection {
  if (op === 'remove') {
    if (!sub) return before.filter((one) => !test(one));
    return before.map((one) => (test(one) ? { ...one, [sub.name]: undefined } : one));
  }
  const stored = sub ? storedValue(sub, value) : storedValue({ ...attribute, multiValued: false }, value);
  if (stored instanceof Rejection) return stored;
  const change: Doc = sub ? { [sub.name]: stored } : ((stored ?? {}) as Doc);
  const changed = before.filter(test).map((one) => ({ ...one, ...change }));
  if (changed.length > 0) {
    let next = 0;
    return onePrimary(
      before.map((one) => (test(one) ? (changed[next++] as Doc) : one)),
      changed,
    );
  }
  // Entra adds the email for work with the path `emails[type eq "work"].value`, whether or not there is one.
  const made = condition ? valueThatMeets(attribute, condition) : {};
  if (!made) return invalidScim('noTarget', 'No value meets the filter in `path`.');
  const added = { ...made, ...change };
  return onePrimary([...before, added], [added]);
}

/** The value that a condition describes; undefined unless it is an equality, or several of them that must all be met. */
function valueThatMeets(attribute: Attribute, condition: Condition): Doc | undefined {
  if (condition.op === 'and') {
    const parts = condition.parts.map((part) => valueThatMeets(attribute, part));
    return parts.includes(undefined) ? undefined : Object.assign({}, ...parts);
  }
  if (condition.op !== 'eq') return undefined;
  const sub = subAttribute(attribute, condition.path);
  if (sub === 'unstored' || sub === undefined) return undefined;
  const value = storedValue(sub, condition.value);
  return value instanceof Rejection ? undefined : { [sub.name]: value };
}

/** If one of the new values is the primary one, no other value stays primary (RFC 7643, 2.4). */
function onePrimary(values: readonly Doc[], changed: readonly Doc[]): readonly Doc[] {
  const primary = changed.findLast((value) => value.primary === true);
  if (!primary) return values;
  return values.map((value) => (value !== primary && value.primary === true ? { ...value, primary: false } : value));
}

function isSame(one: Doc, other: Doc): boolean {
  const text = ({ value }: Doc) => (typeof value === 'string' ? value.toLowerCase() : value);
  return text(one) === text(other) && (other.type === undefined || one.type === other.type);
}

/** Whether the text names an attribute or a part of it, perhaps with the URN of a schema before it. */
function isName(text: string): boolean {
  return /^(urn:[\w:.-]+:)?[a-z$][\w$.-]*$/i.test(text);
}

function invalidPath(path: string): Rejection {
  return invalidScim('invalidPath', `The path ${shown(path)} does not name an attribute.`);
}
