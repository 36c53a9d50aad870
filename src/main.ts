#!/usr/bin/env -S node --max-semi-space-size=4
import { keepCompiledCode } from './products/program/compiled-code.ts';

// Node lets the space for young objects grow to 48 MB. With 12 MB (the option above: 4 MB for each of three parts) a service of 500 flags needs 104 MB under
// load instead of 126, and polls, evaluation and the start take as long. `npm start` passes the same option.
keepCompiledCode();
/** `burgee`, and `node dist/src/main.js`. Loaded only now: what was loaded before would be compiled anew by every start. */
const { runProgram } = await import('./products/program/program.ts');
const code = await runProgram(process.argv.slice(2), {
  environment: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
});
if (code !== undefined) process.exitCode = code;
