import Type from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import { notFound } from '../../base/rejection.ts';
import { ok } from '../../http/answer.ts';
import { Nullable } from '../../model/primitives.ts';
import { routesOf, subscribed } from '../endpoint.ts';
import { COMMITS_SHOWN } from './spread-view.ts';

const route = routesOf('Metrics');

const Lagging = Type.Object(
  {
    appName: Type.String({ description: 'Name that the application reports; empty if it reports none' }),
    environment: Type.String({ description: 'Environment of its tokens' }),
    connections: Type.Integer({ description: 'Number of its connections without the revision' }),
    revision: Type.Integer({ description: 'The newest revision that all of these connections have; 0 if unknown' }),
  },
  { description: 'An application with connections that do not have the revision' },
);

const TookMs = Type.Object(
  {
    p50: Type.Number({ description: 'Half of the connections had it after this time' }),
    p99: Type.Number({ description: '99% of the connections had it after this time' }),
    last: Type.Number({ description: 'All connections had it after this time' }),
    connections: Type.Integer({ description: 'Number of connections for which the time is known' }),
  },
  {
    description:
      'Milliseconds from the commit until the revision was sent to the connections; null if no time is known',
  },
);

const Propagated = Type.Object(
  {
    revision: Type.Integer({ description: 'The revision' }),
    at: Nullable(Type.String({ description: 'Time of the commit; null if it changed nothing that SDKs see' })),
    connected: Type.Integer({ description: 'Number of connected SDKs' }),
    concerned: Type.Integer({
      description: 'Number of connected SDKs that see the changes, without those in `unknown`',
    }),
    have: Type.Integer({ description: 'Number of concerned SDKs to which the revision was sent' }),
    unknown: Type.Integer({
      description: 'Number of SDKs that were first seen after the commit and have received no list since',
    }),
    share: Type.Number({ description: '`have` divided by `concerned`, from 0 to 1; 1 if `concerned` is 0' }),
    tookMs: Nullable(TookMs),
    lagging: Type.Array(Lagging, {
      description: 'At most 100 lagging applications, sorted by their number of lagging connections, the highest first',
    }),
  },
  { $id: 'propagation', description: 'Propagation of a revision' },
);

const getPropagation = route('GET /api/admin/propagation/:revision', 'getPropagation', {
  access: { permission: 'READ' },
  summary: 'How many connected SDKs have a revision, how long it took, and which applications lag',
  description:
    'The revision is the value of the header `burgee-revision` in the answer to a write, or `latest`: the newest revision that changed something ' +
    'that SDKs see. About a thousand such revisions are remembered. Changes in projects that the caller may not see are left out.',
  params: {
    revision: Type.String({ pattern: '^(\\d{1,15}|latest)$', description: 'Number of the revision, or `latest`' }),
  },
  responses: { 200: { description: 'The propagation', schema: Propagated } },
  async handle({ params, caller, asker }, { propagation, state }) {
    const revision = params.revision === 'latest' ? (propagation.newest ?? state.seq) : Number(params.revision);
    if (revision > state.seq) return notFound(`There is no revision ${revision} yet; the newest one is ${state.seq}.`);
    const spread = await propagation.spread(revision, asker, visibleProjects(state, caller).has);
    if (!spread)
      return notFound(
        `The propagation of revision ${revision} is no longer known; the oldest known revision is ${propagation.oldest}.`,
      );
    const { concerned, have } = spread;
    return ok({ ...spread, share: concerned === 0 ? 1 : have / concerned });
  },
});

const streamPropagation = subscribed('GET /api/admin/propagation', 'streamPropagation', {
  tag: 'Metrics',
  access: { permission: 'READ' },
  summary: 'How far the newest commits have come to connected SDKs, as it happens',
  description:
    'Server-sent events for signed-on users, personal tokens and admin tokens. The first event is `connected`, `{commits}`: a client shows the newest ' +
    `${COMMITS_SHOWN} commits and forgets older ones. Then each commit that changed something that SDKs see is an event \`commit\`, the oldest first: ` +
    '`{revision, at, touched: [{project, environment}], more, concerned, have, unknown, share, tookMs: {p50, p99, last, connections}, ' +
    'slowest: {appName, environment, tookMs}, final}`. A later event with the same revision replaces it: at most four a second. Most fields are those of ' +
    '`GET /api/admin/propagation/:revision`. `more` is true if the commit touched more than the 20 that are in `touched`. `slowest` is the application with ' +
    'the most lagging SDKs, with the `tookMs` null, else the one that got the revision last; null if no time is known. After an event with `final` true, no ' +
    'event of this revision follows: all SDKs have it, or 15 minutes have passed. `have` counts the SDKs to which the revision was sent: whether they apply ' +
    'it is not known. Commits in projects that the caller may not see are left out. If the permissions of the caller change, `connected` ' +
    'and all commits are sent again. The stream ends when the session or the token ends.',
  responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
  errors: [429],
  channel: ({ caller }, { propagationStreams }) => propagationStreams.channel(caller),
  follow: ({ propagationStreams }, changed) => propagationStreams.onChanged(changed),
});

export const propagationEndpoints = [getPropagation, streamPropagation];
