#!/usr/bin/env node
import { runProgram } from './program/program.ts';

/** `burgee`, and `node dist/src/main.js`. */
const code = await runProgram(process.argv.slice(2), {
  environment: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
});
if (code !== undefined) process.exitCode = code;
