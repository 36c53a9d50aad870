import { Rejection } from '../../base/rejection.ts';
import { checkedQuery } from '../../http/query.ts';
import { acceptsGzip } from '../../http/sending/accept-encoding.ts';
import { holderOf } from '../../model/caller.ts';
import { prepared } from '../endpoint.ts';
import { INDEX_REVISION_HEADER } from './index-answers.ts';
import { FlagIndexQuery, FlagIndexSchema } from './schemas.ts';

const getFlagIndex = prepared('GET /api/admin/flag-index', 'getFlagIndex', {
  tag: 'Search',
  access: { permission: 'READ' },
  summary: 'A compact index of all flags that the caller sees, or its differences since an earlier answer',
  description:
    'The whole index has a strong `ETag`; an equal one in `If-None-Match` is answered 304. With `since`, the answer has the flags that changed and the ' +
    'names of those that the caller no longer sees. The answer is the whole index (`isWhole`) if `since` is too old or of another history, if the ' +
    'caller sees other projects than before, or if too much has changed.',
  query: FlagIndexQuery,
  responses: {
    200: {
      description: 'The index',
      schema: FlagIndexSchema,
      headers: {
        ETag: 'Identifies the whole index; missing in an answer with differences',
        [INDEX_REVISION_HEADER]: 'The value of `since` for the next request',
      },
    },
    304: { description: 'The caller has this index already' },
  },
  errors: [400],
  serve(head, caller, { indexAnswers }) {
    const query = checkedQuery(head.query(), FlagIndexQuery);
    if (query instanceof Rejection) return query;
    return indexAnswers.answer(caller, head.asker(holderOf(caller)), {
      ...(query.since !== undefined && { since: query.since as string }),
      ...(query.fields !== undefined && { fields: query.fields as 'fingerprints' | 'details' }),
      known: head.header('if-none-match'),
      gzip: acceptsGzip(head.header('accept-encoding')),
    });
  },
});

export const flagIndexEndpoints = [getFlagIndex];
