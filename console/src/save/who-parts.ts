import { lazySet } from '../kit/lazy-part.ts';

/** What choosing contexts and reading examples need. The counts of made-up contexts are there without it. */
export const whoParts = lazySet(async () => {
  const [{ ContextsChoice }, { Examples }, { UnknownNames }] = await Promise.all([
    import('./ContextsChoice.tsx'),
    import('./Examples.tsx'),
    import('./UnknownNames.tsx'),
  ]);
  return { ContextsChoice, Examples, UnknownNames };
});
