import { leadingFlagVariables } from '../relay/edge-flags.ts';

/** Maps the names of Edge's commands to the names of the same commands in Burgee. */
const EDGE_WORDS: ReadonlyMap<string, string> = new Map([
  ['edge', 'relay'],
  ['relay', 'relay'],
  ['offline', 'offline'],
]);

interface CommandLine {
  /** The command's name; it may be unknown. */
  readonly name: string;
  /** The arguments after the name. */
  readonly rest: readonly string[];
  /** The flags before the name, as environment variables with their values. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Parses a command line. Edge allows flags before the command: `--port 3063 edge --upstream-url …`. */
export function commandLine(args: readonly string[]): CommandLine {
  const [first = 'serve', ...rest] = args;
  const plain = { name: EDGE_WORDS.get(first) ?? first, rest, variables: {} };
  if (!first.startsWith('-')) return plain;
  for (const [at, word] of args.entries()) {
    const name = EDGE_WORDS.get(word);
    const variables = name === undefined ? undefined : variablesBefore(args.slice(0, at));
    if (name !== undefined && variables) return { name, rest: args.slice(at + 1), variables };
  }
  return plain;
}

/** The flags before a command's name, as variables. Undefined if the name is the value of a flag, or if a flag is unknown. */
function variablesBefore(args: readonly string[]): CommandLine['variables'] | undefined {
  try {
    return leadingFlagVariables(args);
  } catch {
    return undefined;
  }
}
