import { runProgram } from '../../../src/products/program/program.ts';
import { ADMIN_TOKEN } from '../service.ts';

/** Runs the program in this process, with this environment alone, and returns its exit code and what it wrote. */
export async function burgee(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = { BURGEE_TOKEN: ADMIN_TOKEN },
) {
  let [out, err] = ['', ''];
  const code = await runProgram(args, {
    environment,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
