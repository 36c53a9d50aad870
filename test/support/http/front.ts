import { type ChosenFront, chooseFront } from '../../../src/http/front/choose.ts';
import type { FrontKind } from '../../../src/http/front/front.ts';

/** The front that a test names with `HTTP_FRONT`; otherwise the one that this machine uses. */
export function testFront(kind = process.env.HTTP_FRONT as FrontKind | undefined): ChosenFront {
  return chooseFront(kind, { keepAliveMs: 61_000 });
}

/** The fronts that this machine has. */
export const FRONTS: readonly FrontKind[] = testFront('node').kind === testFront().kind ? ['node'] : ['fast', 'node'];
