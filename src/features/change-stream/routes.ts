import { subscribed } from '../endpoint.ts';

const streamCommits = subscribed('GET /api/admin/changes', 'streamCommits', {
  tag: 'Events',
  access: { permission: 'READ' },
  summary: 'Every change of flags, projects and settings as it happens',
  description:
    'Server-sent events for signed-on users, personal tokens and admin tokens. The first event is `connected`, `{revision}`. Then each commit is an event ' +
    '`commit`, `{revision, at, author: {id, name}, entities: [{type, id, project, environments}], more}`. `type` is `feature`, `segment`, `project`, ' +
    '`environment`, `context-field`, `strategy`, `change-request`, `tag-type`, `feature-type`, `banner` or `group`, and for admins also `user`, `role`, ' +
    '`api-token` or `setting`. `more` is true if the commit changed more than the 100 entities that are named. Entities that the caller may not see are ' +
    'left out, and so are commits that changed nothing else. A client that reconnects with `Last-Event-ID` gets the missed commits. If they are not ' +
    'known any more, it gets `connected` instead, and must read its lists again. The stream ends when the session or the token ends.',
  responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
  errors: [429],
  channel: ({ caller }, { changeStreams }) => changeStreams.channel(caller),
  follow: ({ changeStreams }, changed) => changeStreams.onChanged(() => changed()),
});

export const changeStreamEndpoints = [streamCommits];
