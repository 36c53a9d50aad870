import { runProgram } from '../../../src/products/program/program.ts';
import { ADMIN_TOKEN } from '../service.ts';

/** Runs the program in this process, as an admin unless the environment has another token, and returns its exit code and what it wrote. */
export async function burgee(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  let [out, err] = ['', ''];
  const code = await runProgram(args, {
    environment: { BURGEE_TOKEN: ADMIN_TOKEN, ...environment },
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
