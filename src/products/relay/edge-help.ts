import { type EdgeOption, variableOf } from './edge-options.ts';
import { type Mode, optionsOf } from './edge-variables.ts';

const WIDTH = 100;
const INDENT = ' '.repeat(10);

/** The options that have an effect in the mode. */
function effectiveOptions(mode: Mode): readonly EdgeOption[] {
  return optionsOf(mode).filter(({ fate, upstreamOnly }) => fate === 'same' && !(mode === 'offline' && upstreamOnly));
}

/** The options of one mode for `--help`. */
export function optionsHelp(mode: Mode): string {
  const options = effectiveOptions(mode);
  const modeOptions = options.filter(({ of }) => of === mode);
  return [...modeOptions, ...options.filter(({ of }) => of === 'both')].map(optionHelp).join('\n');
}

/** Flags for shell completion. */
export function flagWords(mode: Mode): string[] {
  return effectiveOptions(mode).map(({ flag }) => `--${flag}`);
}

function optionHelp(option: EdgeOption): string {
  const { flag, short, kind, as, note } = option;
  const shortFlag = short === undefined ? '    ' : `-${short}, `;
  const value = kind === 'switch' ? '' : ` <${kind === 'list' ? 'LIST' : 'VALUE'}>`;
  const variables = [variableOf(option), ...(as === undefined ? [] : [as])].join(', ');
  return `  ${shortFlag}--${flag}${value}   [${variables}]\n${wrapNote(note)}`;
}

/** Wraps a note, without its Markdown links and code marks. */
function wrapNote(note: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of note
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .split(' ')) {
    if (line !== '' && INDENT.length + line.length + word.length + 1 > WIDTH) {
      lines.push(INDENT + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, INDENT + line].join('\n');
}
