import { readArguments } from './arguments.ts';
import { ask, SERVICE_FLAGS, SERVICE_HELP, serviceAddress } from './service-client.ts';
import type { Subcommand } from './subcommand.ts';

/** `burgee health`: for a container's health check. */
export const health = probe(
  'health',
  'whether the process answers',
  'Exit code 0 when a running service answers that it lives, 1 otherwise.',
);

/** `burgee ready`: for a proxy's or an operator's question whether traffic may come. */
export const ready = probe(
  'ready',
  'whether the service takes traffic, and why not',
  'Prints what the service says of itself. Exit code 0 when it takes traffic, 1 otherwise.',
);

function probe(name: string, summary: string, meaning: string): Subcommand {
  return {
    name,
    summary: `asks a running service ${summary}`,
    help: `burgee ${name} [--url URL]\n\n${meaning}\n\n${SERVICE_HELP}\n`,
    words: ['--url'],
    async run(args, { environment, out }) {
      const { values } = readArguments(args, SERVICE_FLAGS);
      const { status, text } = await ask(serviceAddress(values.url, environment), `/${name}`);
      out(`${text.trimEnd()}\n`);
      return status === 200 ? 0 : 1;
    },
  };
}
