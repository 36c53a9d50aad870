import { type ChosenFront, chooseFront } from '../../../src/http/front/choose.ts';
import type { FrontKind } from '../../../src/http/front/front.ts';

const OPTIONS = { keepAliveMs: 61_000 };
/** Known once: where the fast front has no binary, each try to load it costs some milliseconds. */
const OWN = chooseFront(undefined, OPTIONS).kind;

/** The front that a test names with `HTTP_FRONT`; otherwise the one that this machine uses. */
export function testFront(kind = (process.env.HTTP_FRONT as FrontKind | undefined) ?? OWN): ChosenFront {
  return chooseFront(kind, OPTIONS);
}

/** The fronts that this machine has. */
export const FRONTS: readonly FrontKind[] = OWN === 'node' ? ['node'] : ['fast', 'node'];
