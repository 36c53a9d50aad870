import { leadingFlagVariables } from '../relay/edge-flags.ts';

/** Words that Edge has for commands of Burgee, and their names here. */
const EDGE_WORDS: ReadonlyMap<string, string> = new Map([
  ['edge', 'relay'],
  ['relay', 'relay'],
  ['offline', 'offline'],
]);

interface CommandLine {
  /** The command's name, whether there is one or not. */
  readonly name: string;
  /** What stands behind it. */
  readonly rest: readonly string[];
  /** What flags before it say, as variables. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Takes a command line apart. Edge's flags may stand before its word: `--port 3063 edge --upstream-url …`. */
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

/** Undefined when these are not flags alone: the word is the value of one, or there is no such flag. */
function variablesBefore(args: readonly string[]): CommandLine['variables'] | undefined {
  try {
    return leadingFlagVariables(args);
  } catch {
    return undefined;
  }
}
