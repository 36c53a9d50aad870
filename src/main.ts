#!/usr/bin/env -S node --max-semi-space-size=4
import { keepCompiledCode } from './products/program/compiled-code.ts';

// Node lets the space for young objects grow to 48 MB. The option above limits it to 12 MB, 4 MB for each of its three parts. With it, a service of
// 500 flags needs 104 MB under load instead of 126 MB. Polls, evaluation and the start take as long as without it. `npm start` passes the same
// option.
keepCompiledCode();
// The import comes after `keepCompiledCode`, because every start compiles anew the modules that were imported before that call.
const { runProgram } = await import('./products/program/program.ts');
// A reader such as `head` may close the pipe before all output is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const exitCode = await runProgram(process.argv.slice(2), {
  environment: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  input: () => process.stdin,
});
if (exitCode !== undefined) process.exitCode = exitCode;
