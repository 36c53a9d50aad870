import Type from 'typebox';
import { may } from '../../access/may.ts';
import { notFound } from '../../base/rejection.ts';
import { done } from '../../http/answer.ts';
import { type Caller, holderOf } from '../../model/caller.ts';
import { routesOf, subscribed } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { PRESENCE_MODES, PRESENCE_MS, PRESENCE_TYPES, type PresenceReport, projectOfTarget } from './presence.ts';

const route = routesOf('Events');

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
    'known any more, or if the rights of the caller may have changed, the client gets `connected` instead, also without a disconnection, and must read its ' +
    'lists again. With `flags=details`, an event `flags` before the commits has what they changed in the index of flags: an answer of ' +
    '`/api/admin/flag-index?fields=details&since=…`, with the `revision` for the next one. It is null if more than 20 flags changed: then the client requests them. An event `presence`, `{type, id, project, people: [{id, name, mode}]}`, has ' +
    'the people who look at an entity or edit it, after each change of that list. The stream ends when the session or the token ends.',
  query: Type.Object({
    flags: Type.Optional(
      Type.Enum(['details'], { description: 'Sends what changed in the index of flags, with its details' }),
    ),
  }),
  responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
  errors: [429],
  channel: ({ caller, query }, { changeStreams, indexAnswers }) =>
    changeStreams.channel(caller, query.flags === undefined ? undefined : indexAnswers),
  follow: ({ changeStreams }, changed) => changeStreams.onChanged(() => changed()),
});

const PageId = Type.String({ minLength: 1, maxLength: 100, description: 'An id that the page chooses' });

const reportPresence = route('PUT /api/admin/presence/:page', 'reportPresence', {
  access: { permission: 'READ' },
  summary: 'Reports that the caller looks at an entity, or edits it',
  description:
    `Other people see it in the events \`presence\` of \`/api/admin/changes\`. The report is valid for ${PRESENCE_MS / 1000} seconds: a page repeats it. ` +
    'Presence is never stored, and people who use another replica are not included.',
  params: { page: PageId },
  body: Type.Object(
    {
      type: Type.Enum([...PRESENCE_TYPES]),
      id: Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Name of the flag or environment, or id of the segment or project',
      }),
      mode: Type.Enum([...PRESENCE_MODES]),
    },
    { $id: 'presence' },
  ),
  errors: [429],
  handle: ({ params, body, caller }, services) => report({ page: params.page, ...body }, caller, services),
});

function report(reported: PresenceReport, caller: Caller, { state, changeStreams }: Services) {
  const project = projectOfTarget(state, reported.type, reported.id);
  const isVisible = project !== undefined && may(state, caller, 'READ', project, null);
  if (!isVisible) return notFound(`The ${reported.type} ${reported.id} does not exist.`);
  return changeStreams.presence.report(holderOf(caller), caller.author, reported, project) ?? done();
}

const endPresence = route('DELETE /api/admin/presence/:page', 'endPresence', {
  access: { permission: 'READ' },
  neverMissing: true,
  summary: 'Reports that the page was closed',
  params: { page: PageId },
  handle({ params, caller }, { changeStreams }) {
    changeStreams.presence.leave(holderOf(caller), params.page);
    return done();
  },
});

export const changeStreamEndpoints = [streamCommits, reportPresence, endPresence];
