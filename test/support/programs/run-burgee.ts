import { Readable } from 'node:stream';
import { runProgram } from '../../../src/products/program/program.ts';
import { ADMIN_TOKEN } from '../service.ts';

/** Runs the program in this process, with this environment and this standard input alone, and returns its exit code and what it wrote. */
export async function burgee(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = { BURGEE_TOKEN: ADMIN_TOKEN },
  input?: string,
) {
  let [out, err] = ['', ''];
  const code = await runProgram(args, {
    environment,
    ...(input !== undefined && { input: () => Readable.from([input]) as NodeJS.ReadStream }),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
