import Type from 'typebox';
import { invalid, notFound, type Rejection } from '../../base/rejection.ts';
import type { State } from '../../state/state.ts';
import type { EventColumns } from '../events/columns.ts';

const AT_LENGTH_MAX = 40;

/** A moment in a request: a revision or a time. */
export const At = Type.String({
  minLength: 1,
  maxLength: AT_LENGTH_MAX,
  description: 'A revision, or a time as in RFC 3339: the answer shows the state after that commit, or at that time',
});

/** A time in a request, as in RFC 3339. */
export const time = (description: string) => Type.String({ minLength: 1, maxLength: AT_LENGTH_MAX, description });

/** RFC 3339, with the date alone or with a time and its offset. */
const TIME = /^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** The time in a request, in milliseconds since the epoch. `path` names the field in the rejection. */
export function timeOf(text: string, path: string): number | Rejection {
  const timeMs = parsedTime(text);
  return Number.isNaN(timeMs) ? invalid(`"${text}" is no time as in RFC 3339.`, path) : timeMs;
}

function parsedTime(text: string): number {
  return TIME.test(text) ? Date.parse(text) : Number.NaN;
}

/** The oldest moment that can be read, with the revision at which the recorded past begins. */
export function firstRevision(columns: EventColumns, state: State): number {
  const id = columns.firstRecordedId;
  const revision = columns.revisionFrom(id);
  if (revision === undefined) return state.seq;
  // If older events were dropped, the first events of this commit may be among them.
  return id === columns.firstId && id > 1 ? revision : revision - 1;
}

/** The revision that `at` names. `path` names the field in rejections. */
export function revisionAt(at: string, path: string, columns: EventColumns, state: State): number | Rejection {
  const first = firstRevision(columns, state);
  if (/^\d+$/.test(at)) {
    const revision = Number(at);
    if (revision > state.seq) return invalid(`The newest revision is ${state.seq}.`, path);
    return revision < first ? tooOld(first) : revision;
  }
  const timeMs = parsedTime(at);
  if (Number.isNaN(timeMs)) return invalid(`"${at}" is no revision and no time as in RFC 3339.`, path);
  const nextId = columns.firstIdAfterTime(timeMs);
  const next = columns.revisionFrom(nextId);
  if (next === undefined) return state.seq;
  // The commit before the first later one.
  return next - 1 < first ? tooOld(first) : next - 1;
}

function tooOld(first: number): Rejection {
  return notFound(`The recorded past begins at revision ${first}.`);
}
