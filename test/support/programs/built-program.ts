import { fileURLToPath } from 'node:url';

/**
 * The program as people run it, of this checkout's build. It starts with less than half the CPU of `dist/src/main.js`, whose modules are loaded one by
 * one. `BURGEE_MAIN=…/dist/packed/program/main.js` runs the tests of processes against another build.
 */
export const BUILT_PROGRAM =
  process.env.BURGEE_MAIN ?? fileURLToPath(new URL('../../../dist/packed/program/main.js', import.meta.url));
