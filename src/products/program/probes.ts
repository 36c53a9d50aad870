import { readArguments, wordsOf } from './arguments.ts';
import { ask, askTrusting, SERVICE_FLAGS, SERVICE_HELP, serviceAddress } from './service-client.ts';
import { ProgramError, type Subcommand } from './subcommand.ts';

const FLAGS = {
  ...SERVICE_FLAGS,
  'edge-url': { type: 'string', short: 'e' },
  'ca-certificate-file': { type: 'string', short: 'c' },
} as const;

const FLAGS_HELP = `${SERVICE_HELP};
              Edge's names -e, --edge-url and EDGE_URL are the same. With UPSTREAM_URL or BOOTSTRAP_FILE in the
              environment the default is the address of a relay, or of burgee offline
  -c, --ca-certificate-file FILE   PEM of the authority that issued its certificate (CA_CERTIFICATE_FILE)`;

const HINT =
  '; a relay whose upstream is set by a flag, not by UPSTREAM_URL, listens on another port: --edge-url http://127.0.0.1:3063';

/** Whether a flag or variable specifies the address of the service. */
function hasExplicitAddress(
  url: string | undefined,
  { HTTP_PORT, PORT, UPSTREAM_URL, BOOTSTRAP_FILE }: NodeJS.ProcessEnv,
): boolean {
  return [url, HTTP_PORT, PORT, UPSTREAM_URL, BOOTSTRAP_FILE].some((text) => text !== undefined && text !== '');
}

/** `burgee health`: for a container's health check. */
export const health = probe(
  'health',
  'whether the process answers',
  'Exit code 0 when a running service answers, 1 otherwise.',
);

/** `burgee ready`: for a proxy or an operator, to check whether the service takes traffic. */
export const ready = probe(
  'ready',
  'whether the service takes traffic, and why not',
  'Prints the state that the service reports. Exit code 0 when it takes traffic, 1 otherwise.',
);

function probe(name: string, summary: string, meaning: string): Subcommand {
  return {
    name,
    summary: `asks a running service ${summary}`,
    help: `burgee ${name} [--url URL]\n\n${meaning}\n\n${FLAGS_HELP}\n`,
    words: wordsOf(FLAGS),
    async run(args, { environment, out }) {
      const { values } = readArguments(args, FLAGS);
      const url = values.url ?? values['edge-url'] ?? (environment.EDGE_URL || undefined);
      const caFile = values['ca-certificate-file'] ?? environment.CA_CERTIFICATE_FILE ?? '';
      const address = serviceAddress(url, environment);
      const request = caFile === '' ? ask(address, `/${name}`) : askTrusting(caFile, address, `/${name}`);
      const { status, text } = await request.catch((error: Error) => {
        throw hasExplicitAddress(url, environment) ? error : new ProgramError(`${error.message}${HINT}`);
      });
      out(`${text.trimEnd()}\n`);
      return status === 200 ? 0 : 1;
    },
  };
}
