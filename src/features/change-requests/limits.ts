import { fixed, limit } from '../../model/limits.ts';

export const CHANGE_REQUEST_LIMITS = {
  changeRequests: limit('change requests, including closed ones', 10_000, 100_000, 'CHANGE_REQUESTS_LIMIT', {
    counts: 'changeRequests',
  }),
  openChangeRequests: limit('open change requests of a project', 500, 2_000, 'OPEN_CHANGE_REQUESTS_LIMIT'),
  changeRequestChanges: limit('changes of a change request', 50, 200, 'CHANGE_REQUEST_CHANGES_LIMIT'),
  changeRequestBytes: limit(
    'bytes of the changes of a change request',
    500_000,
    1_000_000,
    'CHANGE_REQUEST_BYTES_LIMIT',
  ),
  openChangeRequestBytes: limit(
    'bytes of all open change requests of a project, with their comments',
    20_000_000,
    200_000_000,
    'OPEN_CHANGE_REQUEST_BYTES_LIMIT',
  ),
  changeRequestsBytes: limit(
    'bytes of all change requests, with their comments (if there are more, the oldest closed ones are deleted)',
    100_000_000,
    1_000_000_000,
    'CHANGE_REQUESTS_BYTES_LIMIT',
  ),
  changeRequestComments: limit('comments on a change request', 100, 500, 'CHANGE_REQUEST_COMMENTS_LIMIT'),
  commentLength: fixed('characters of a comment on a change request', 2_000),
  requestedReviewers: fixed('people who are asked to review a change request', 10),
  closedChangeRequests: fixed('closed change requests of a project (if there are more, the oldest are deleted)', 1_000),
  closedChangeRequestBytes: fixed(
    'bytes of the closed change requests of a project (if there are more, the oldest are deleted)',
    10_000_000,
  ),
};
