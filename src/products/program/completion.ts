import { readArguments } from './arguments.ts';
import { type Subcommand, UsageError } from './subcommand.ts';

const HELP = `burgee completion bash|zsh|fish

Prints a script with which the shell completes burgee's commands and flags:

  source <(burgee completion bash)
`;

/** `burgee completion`, for these commands. */
export function completion(subcommands: () => readonly Subcommand[]): Subcommand {
  return {
    name: 'completion',
    summary: 'prints completions for bash, zsh or fish',
    help: HELP,
    words: ['bash', 'zsh', 'fish'],
    async run(args, { out }) {
      const [shell = ''] = readArguments(args, {}, 1).positionals;
      const script = { bash, zsh, fish }[shell];
      if (!script) throw new UsageError('specify one of bash, zsh and fish; see --help');
      out(script(subcommands()));
      return 0;
    },
  };
}

function bash(subcommands: readonly Subcommand[]): string {
  const cases = subcommands
    .map(({ name, words }) => `    ${name}) words='${[...words, '--help'].join(' ')}' ;;\n`)
    .join('');
  const names = subcommands.map(({ name }) => name).join(' ');
  return `_burgee() {
  local words='${names} --help --version'
  case "\${COMP_WORDS[1]}" in
${cases}  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words='${names} --help --version'; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _burgee burgee
`;
}

function zsh(subcommands: readonly Subcommand[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(subcommands)}`;
}

function fish(subcommands: readonly Subcommand[]): string {
  const lines = subcommands.flatMap(({ name, summary, words }) => [
    `complete -c burgee -f -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
    `complete -c burgee -f -n '__fish_seen_subcommand_from ${name}' -a '${[...words, '--help'].join(' ')}'`,
  ]);
  return `${lines.join('\n')}\n`;
}
