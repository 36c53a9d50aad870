#!/usr/bin/env node
import { keepCompiledCode } from './products/program/compiled-code.ts';

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
