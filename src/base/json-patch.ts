import { invalid, type Rejection } from './rejection.ts';

/** One step of a JSON Patch (RFC 6902). `move` and `copy` are not supported: repeated copies double a document each time. */
interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  /** JSON pointer (RFC 6901). */
  readonly path: string;
  readonly value?: unknown;
}

type Container = unknown[] | Record<string, unknown>;

/** Returns the document after the operations, or a rejection that names the first operation that cannot be applied. Does not change `document`. */
export function applyJsonPatch(document: unknown, operations: readonly PatchOperation[]): unknown {
  const root = { document: structuredClone(document) };
  for (const [index, operation] of operations.entries()) {
    const rejection = applyOperation(root, operation, `/${index}/path`);
    if (rejection) return rejection;
  }
  return root.document;
}

function applyOperation(
  root: { document: unknown },
  operation: PatchOperation,
  errorPath: string,
): Rejection | undefined {
  const { op, path } = operation;
  if (op !== 'remove' && operation.value === undefined) return invalid(`The operation ${op} needs a value.`, errorPath);
  if (path !== '' && !path.startsWith('/')) return invalid(`"${path}" is not a JSON pointer.`, errorPath);
  const tokens = path === '' ? ['document'] : ['document', ...path.slice(1).split('/').map(unescapeToken)];
  const last = tokens.pop() ?? '';
  let container: unknown = root;
  for (const token of tokens) container = memberOf(container, token);
  if (!isContainer(container) || !isPossible(container, last, op)) {
    return invalid(
      `The operation ${op} is not possible at ${path}: there is no such place in the document.`,
      errorPath,
    );
  }
  if (op === 'test') {
    const isSame = equals(memberOf(container, last), operation.value);
    return isSame ? undefined : invalid(`The test of ${path} failed.`, errorPath);
  }
  change(container, last, op, operation.value);
  return undefined;
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

const INDEX = /^(0|[1-9]\d{0,8})$/;

function memberOf(container: unknown, token: string): unknown {
  if (!isContainer(container) || (Array.isArray(container) && !INDEX.test(token))) return undefined;
  return Object.hasOwn(container, token) ? (container as Record<string, unknown>)[token] : undefined;
}

/** Whether the operation can be applied to this member of the container. */
function isPossible(container: Container, token: string, op: PatchOperation['op']): boolean {
  // An assignment to this name would not add a property but replace the prototype.
  if (token === '__proto__') return false;
  if (!Array.isArray(container)) return op === 'add' || Object.hasOwn(container, token);
  if (op === 'add' && token === '-') return true;
  return INDEX.test(token) && Number(token) < container.length + (op === 'add' ? 1 : 0);
}

function change(container: Container, token: string, op: 'add' | 'remove' | 'replace', value: unknown): void {
  const copy = structuredClone(value);
  if (!Array.isArray(container)) {
    if (op === 'remove') delete container[token];
    else container[token] = copy;
  } else if (op === 'remove') container.splice(Number(token), 1);
  else if (op === 'replace') container[Number(token)] = copy;
  else container.splice(token === '-' ? container.length : Number(token), 0, copy);
}

function equals(left: unknown, right: unknown): boolean {
  if (!isContainer(left) || !isContainer(right)) return left === right;
  const keys = Object.keys(left);
  if (Array.isArray(left) !== Array.isArray(right) || keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && equals(memberOf(left, key), memberOf(right, key)));
}
