import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ProgramError, type ProgramIo } from '../subcommand.ts';

/** Maximum length of standard input: a token is much shorter. */
const INPUT_CHARS_MAX = 10_000;

/** Reads a secret from standard input. On a terminal, it asks for it and shows nothing of what is typed. @throws ProgramError */
export async function readSecret(question: string, { input, err }: ProgramIo): Promise<string> {
  const stream = input?.();
  if (stream === undefined) throw new ProgramError('standard input cannot be read');
  if (!stream.isTTY) return firstLine(stream);
  const typed = typedLine(stream);
  // Only now, because until then the terminal shows what is typed.
  err(question);
  try {
    return await typed;
  } finally {
    err('\n');
  }
}

async function firstLine(stream: AsyncIterable<Buffer | string>): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.length > INPUT_CHARS_MAX) throw new ProgramError('standard input is too long for a token');
  }
  return text.trim();
}

function typedLine(input: NodeJS.ReadStream): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  return new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('SIGINT', () => reject(new ProgramError('cancelled')));
    lines.once('close', () => reject(new ProgramError('no token was typed')));
  }).finally(() => lines.close());
}
