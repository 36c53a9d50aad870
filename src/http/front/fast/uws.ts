import './header-limit.ts';
import type * as Uws from 'uWebSockets.js';
import { createRequire } from 'node:module';

let loaded: typeof Uws | undefined;

/** Loads uWebSockets.js. Its binary exists for some systems and versions of Node only. @throws Error if there is none for this process */
export function loadUws(): typeof Uws {
  loaded ??= createRequire(import.meta.url)('uWebSockets.js') as typeof Uws;
  return loaded;
}
