import { getOrMake } from '../../base/get-or-make.ts';
import type { RouteMethod, Serve } from './front.ts';

/** The handler of a request, and the values of its path parameters as sent. */
export interface Match {
  readonly serve: Serve;
  /** The path that matched. */
  readonly path: string;
  readonly parameters: readonly string[];
}

interface Segment {
  readonly fixed: Map<string, Segment>;
  parameter: Segment | undefined;
  /** By the method as it is sent: uppercase. */
  readonly handlers: Map<string, Serve>;
}

function newSegment(): Segment {
  return { fixed: new Map(), parameter: undefined, handlers: new Map() };
}

/** Routes by the segments of their paths, with the rules of `Front.route`. A parameter matches every segment but an empty one. */
export class RouteTable {
  readonly #root = newSegment();
  #fallback: Serve | undefined;

  add(method: RouteMethod, pattern: string, serve: Serve): void {
    if (pattern === '/*') {
      this.#fallback = serve;
      return;
    }
    let at = this.#root;
    for (const name of pattern.split('/').slice(1)) {
      if (name.startsWith(':')) {
        at.parameter ??= newSegment();
        at = at.parameter;
      } else {
        at = getOrMake(at.fixed, name, newSegment);
      }
    }
    const sent = method.toUpperCase();
    if (!at.handlers.has(sent)) at.handlers.set(sent, serve);
  }

  /**
   * The route of the path for a method as it was sent; undefined if only the fallback matches. A path that matches no route is tried again with one slash in place of several: SDKs
   * send two when their URL ends with a slash.
   */
  find(method: string, path: string): Match | undefined {
    if (!path.startsWith('/')) return undefined;
    const found = this.#search(method, path);
    return found || !path.includes('//') ? found : this.#search(method, path.replace(/\/{2,}/g, '/'));
  }

  #search(method: string, path: string): Match | undefined {
    const parameters: string[] = [];
    const serve = search(this.#root, path.split('/'), 1, method, parameters);
    return serve && { serve, path, parameters };
  }

  /** The handler of `/*`, if there is one. */
  get fallback(): Serve | undefined {
    return this.#fallback;
  }
}

/** Its depth is at most that of the deepest route, whatever the path is. */
function search(
  at: Segment,
  names: readonly string[],
  index: number,
  method: string,
  parameters: string[],
): Serve | undefined {
  if (index === names.length) return at.handlers.get(method);
  const name = names[index] as string;
  const fixed = at.fixed.get(name);
  const found = fixed && search(fixed, names, index + 1, method, parameters);
  if (found || !at.parameter || name === '') return found;
  parameters.push(name);
  const below = search(at.parameter, names, index + 1, method, parameters);
  if (!below) parameters.pop();
  return below;
}
