import './header-limit.ts';
import type * as Uws from 'uWebSockets.js';
import { createRequire } from 'node:module';

let loaded: typeof Uws | undefined;
/** The reason why it does not load: it does not change while the process runs. */
let failure: { readonly error: unknown } | undefined;

/** Loads uWebSockets.js. Its binary exists for some systems and versions of Node only. @throws Error if there is none for this process */
export function loadUws(): typeof Uws {
  if (failure) throw failure.error;
  try {
    loaded ??= createRequire(import.meta.url)('uWebSockets.js') as typeof Uws;
    return loaded;
  } catch (error) {
    failure = { error };
    throw error;
  }
}
