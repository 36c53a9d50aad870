import Type from 'typebox';

/** The longest path to which a user returns after a sign-on. */
const RETURN_PATH_LENGTH_MAX = 500;

/** One `/`, then no second `/`, also no encoded one, and only printable ASCII without the backslash, which browsers read as a slash. */
const LOCAL_PATH = /^\/(?!\/|%2f|%5c)[\x21-\x5b\x5d-\x7e]*$/i;

/** A part of a path that means the same or the parent folder. */
const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i;

/**
 * The text if it is a path below the base path of this service, as a browser sends it; otherwise `/`. The answer appends it to the base path. So it
 * must not name another host, and no dots may lead out of the base path.
 */
export function localPath(text: string): string {
  const isLocal = text.length <= RETURN_PATH_LENGTH_MAX && LOCAL_PATH.test(text);
  return isLocal && !DOT_SEGMENT.test(text.replace(/[?#].*/, '')) ? text : '/';
}

/** It has no maximum length: a path that cannot be used must not prevent the sign-on. */
export const ReturnPath = Type.Optional(
  Type.String({
    description:
      `Path of this service to open after the sign-on, without the base path: \`/\` and up to ${RETURN_PATH_LENGTH_MAX - 1} printable ASCII ` +
      'characters, percent-encoded, without `\\`, without a second slash at the beginning, and without `.` and `..` as parts of the path. Any ' +
      'other text counts as `/`',
  }),
);
