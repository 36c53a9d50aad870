import { invalid, Rejection } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';
import type { RouteStatement } from './endpoint.ts';

/** Why the caller makes a change: percent-encoded UTF-8, so that every text fits into a header. It is stored with the audit events of the change. */
export const REASON_HEADER = 'burgee-reason';

/** Maximum length of a reason, in characters. */
export const REASON_LENGTH_MAX = 500;

const NOT_A_REASON = invalid(
  `The header ${REASON_HEADER} must be a text of 1 to ${REASON_LENGTH_MAX} characters, percent-encoded as UTF-8 (RFC 3986): ` +
    'Fixes%20%231234. A percent sign that is part of the text is sent as %25.',
);

const NOT_TAGS = invalid(
  'The header if-match must be *, or one or more ETags in quotes, separated by commas, as answers have them in the header etag: "1f3K".',
);

const ASCII = /^[\x20-\x7e]*$/;

/** An ETag, with the spaces and the comma before the next one. */
const TAG = /[ \t]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y;

/** What the headers of an admin request state about the change that it makes. */
export function statedBy(
  { method, edits }: RouteStatement,
  params: Readonly<Record<string, unknown>>,
  header: (name: string) => string | undefined,
): Pick<Caller, 'reason' | 'edit'> | Rejection {
  if (method === 'get') return { reason: null, edit: null };
  const reason = reasonOf(header(REASON_HEADER));
  if (reason instanceof Rejection) return reason;
  if (edits === undefined) return { reason, edit: null };
  const ifMatch = statedTags(header('if-match'));
  return ifMatch instanceof Rejection ? ifMatch : { reason, edit: { kind: edits, params, ifMatch } };
}

/** Null: the request states no reason. */
function reasonOf(header: string | undefined): string | null | Rejection {
  if (header === undefined) return null;
  if (!ASCII.test(header)) return NOT_A_REASON;
  let reason: string;
  try {
    reason = decodeURIComponent(header).trim();
  } catch {
    return NOT_A_REASON;
  }
  // Counts characters, not UTF-16 units.
  if (reason.length > REASON_LENGTH_MAX && [...reason].length > REASON_LENGTH_MAX) return NOT_A_REASON;
  // The HTTP server reads a header with bytes beyond ASCII as an empty header.
  return reason === '' ? NOT_A_REASON : reason;
}

/**
 * The ETags of an `If-Match` header; null if there is none. A weak one counts as the strong one: proxies that compress answers make strong ones weak,
 * and an ETag identifies the stored entity, not the bytes of an answer.
 */
export function statedTags(header: string | undefined): readonly string[] | '*' | null | Rejection {
  if (header === undefined) return null;
  if (header.trim() === '*') return '*';
  const tags: string[] = [];
  TAG.lastIndex = 0;
  while (TAG.lastIndex < header.length || tags.length === 0) {
    const tag = TAG.exec(header)?.[1];
    if (tag === undefined) return NOT_TAGS;
    tags.push(tag);
  }
  return header.trimEnd().endsWith(',') ? NOT_TAGS : tags;
}
