import { type EdgeOption, variableOf } from './edge-options.ts';
import { type Mode, optionsOf } from './edge-variables.ts';

const WIDTH = 100;
const INDENT = ' '.repeat(10);

/** The options of one mode for `--help`: only those that have an effect here. */
export function optionsHelp(mode: Mode): string {
  const options = optionsOf(mode).filter(
    ({ fate, upstreamOnly }) => fate === 'same' && !(mode === 'offline' && upstreamOnly),
  );
  const modeOptions = options.filter(({ of }) => of === mode);
  return [...modeOptions, ...options.filter(({ of }) => of === 'both')].map(optionHelp).join('\n');
}

/** Flags for shell completion. */
export function flagWords(mode: Mode): string[] {
  return optionsOf(mode).flatMap(({ flag, fate }) => (fate === 'same' ? [`--${flag}`] : []));
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
