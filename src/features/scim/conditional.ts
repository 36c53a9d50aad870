import { includesEtag } from '../../base/etag.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Answer } from '../../http/answer.ts';
import type { HandlerRequest } from '../../http/endpoint.ts';
import { statedTags } from '../../http/stated-by-request.ts';
import type { Caller } from '../../model/caller.ts';
import { SCIM_TYPE } from './protocol/protocol.ts';

type Asked = Pick<HandlerRequest<never, never, never>, 'header' | 'caller'>;

/** The caller, with the condition of `If-Match` on the entity. The command checks it on the state on which it is decided. */
export function withCondition(
  { header, caller }: Asked,
  kind: 'user' | 'group',
  params: Readonly<Record<string, unknown>>,
): Caller | Rejection {
  const ifMatch = statedTags(header('if-match'));
  if (ifMatch instanceof Rejection) return ifMatch;
  return ifMatch === null ? caller : { ...caller, edit: { kind, params, ifMatch } };
}

/** 304 if the client already has the answer; otherwise the answer. */
export function unlessKnown(answer: Answer | Rejection, { header }: Pick<Asked, 'header'>): Answer | Rejection {
  if (answer instanceof Rejection) return answer;
  const etag = answer.headers?.etag;
  if (etag === undefined || !includesEtag(header('if-none-match') ?? '', etag)) return answer;
  return { status: 304, headers: { 'content-type': SCIM_TYPE, etag } };
}
