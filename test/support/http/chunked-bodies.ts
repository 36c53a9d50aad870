/** A body in chunks, as bytes on a connection: how it ends, and whether what follows it may be another request. */
export interface ChunkedBody {
  readonly name: string;
  /** Without what follows it. */
  readonly text: string;
  /** Whether it is correct, so that another request may follow. */
  readonly isExact: boolean;
  /** Whether a part of the body is the start of another request if its end is read wrongly. */
  readonly smuggles?: boolean;
}

const DATA = '{"a":12345}';
const SIZE = DATA.length.toString(16);

/** Every shape of the end of a chunked body, and of its sizes. `smuggled`: the head of a request that no server must serve. */
export function chunkedBodies(smuggled: string): readonly ChunkedBody[] {
  const chunk = `${SIZE}\r\n${DATA}\r\n`;
  const exact = (name: string, text: string) => ({ name, text, isExact: true });
  const wrong = (name: string, text: string) => ({ name, text, isExact: false });
  const sized = (size: string) => `${size}\r\n${DATA}\r\n0\r\n\r\n`;
  return [
    exact('an exact end', `${chunk}0\r\n\r\n`),
    exact('no data', '0\r\n\r\n'),
    exact('two chunks', `1\r\n{\r\n${(DATA.length - 1).toString(16)}\r\n${DATA.slice(1)}\r\n0\r\n\r\n`),
    exact('a size with leading zeros', sized(`000${SIZE}`)),
    exact('a last size with leading zeros', `${chunk}000\r\n\r\n`),
    exact('a size in capitals', sized(SIZE.toUpperCase())),
    exact('a trailer', `${chunk}0\r\nx-sum: 1\r\n\r\n`),
    exact('two trailers', `${chunk}0\r\nx-sum: 1\r\nx-end: 2\r\n\r\n`),
    exact('a chunk extension', `${SIZE};a=b\r\n${DATA}\r\n0\r\n\r\n`),
    exact('an extension of the last chunk', `${chunk}0;a=b\r\n\r\n`),
    { name: 'a trailer that looks like a request', text: `${chunk}0\r\nX:${smuggled}`, isExact: true, smuggles: true },
    { name: 'no end, and a request', text: `${chunk}0\r\n${smuggled}`, isExact: false, smuggles: true },
    { name: 'two wrong bytes as the end', text: `${chunk}0\r\nXX${smuggled}`, isExact: false, smuggles: true },
    { name: 'a line feed as the end', text: `${chunk}0\r\n\n${smuggled}`, isExact: false, smuggles: true },
    { name: 'a carriage return as the end', text: `${chunk}0\r\n\r${smuggled}`, isExact: false, smuggles: true },
    { name: 'two spaces as the end', text: `${chunk}0\r\n  ${smuggled}`, isExact: false, smuggles: true },
    wrong('two wrong bytes after a chunk', `${SIZE}\r\n${DATA}XX0\r\n\r\n`),
    wrong('no end of line after a chunk', `${SIZE}\r\n${DATA}0\r\n\r\n`),
    wrong('a line feed after a chunk', `${SIZE}\r\n${DATA}\n0\r\n\r\n`),
    wrong('line feeds only', `${SIZE}\n${DATA}\n0\n\n`),
    wrong('a line feed after the last size', `${chunk}0\n\r\n`),
    wrong('a carriage return after the last size', `${chunk}0\r\r\n\r\n`),
    wrong('a size that is too small', `2\r\n${DATA}\r\n0\r\n\r\n`),
    wrong('a size of 2^64', sized('10000000000000000')),
    wrong('a size of 2^64 and more', sized(`1000000000000000${SIZE}`)),
    wrong('a size of 2^32 and more', sized(`10000000${SIZE}`)),
    wrong('a size with a sign', sized(`+${SIZE}`)),
    wrong('a negative size', sized(`-${SIZE}`)),
    wrong('a size with 0x', sized(`0x${SIZE}`)),
    wrong('a size with an underscore', sized(`0_${SIZE}`)),
    wrong('a space before the size', sized(` ${SIZE}`)),
    wrong('a space before the last size', `${chunk} 0\r\n\r\n`),
    wrong('no size', `\r\n${DATA}\r\n0\r\n\r\n`),
    wrong('a size that is no number', sized('g')),
    wrong('a trailer without a colon', `${chunk}0\r\nx\r\n\r\n`),
  ];
}
