import Type from 'typebox';
import { visibleProjects } from '../../../access/visibility.ts';
import { notFound } from '../../../base/rejection.ts';
import { ok } from '../../../http/answer.ts';
import { Nullable } from '../../../model/primitives.ts';
import { routesOf } from '../../endpoint.ts';

const route = routesOf('Metrics');

const Lagging = Type.Object(
  {
    appName: Type.String({ description: 'What the application calls itself; empty when it does not' }),
    environment: Type.String({ description: 'Of its tokens' }),
    connections: Type.Integer({ description: 'How many of its connections lack the revision' }),
    revision: Type.Integer({ description: 'The newest revision that all of these have; 0 when that is not known' }),
  },
  { description: 'An application of which connections lack the revision' },
);

const TookMs = Type.Object(
  {
    p50: Type.Number({ description: 'Half of them had it by then' }),
    p99: Type.Number({ description: 'All but one in a hundred had it by then' }),
    last: Type.Number({ description: 'All of them had it by then' }),
    connections: Type.Integer({ description: 'Of how many it is known' }),
  },
  { description: 'Milliseconds from the commit until it was given to them' },
);

const Propagated = Type.Object(
  {
    revision: Type.Integer({ description: 'The revision that is told of' }),
    at: Nullable(Type.String({ description: 'When it was made; null when it changed nothing that SDKs see' })),
    connected: Type.Integer({ description: 'SDKs that are connected' }),
    concerned: Type.Integer({
      description: 'Those of them that see something of what changed, without those of which it is not known',
    }),
    have: Type.Integer({ description: 'Those of them that were given it' }),
    unknown: Type.Integer({
      description: 'Those that were heard of first when the revision was there already, and were given nothing since',
    }),
    share: Type.Number({ description: '`have` of `concerned`, from 0 to 1; 1 when there are none' }),
    tookMs: Nullable(TookMs),
    lagging: Type.Array(Lagging, {
      description: 'Applications that lag, at most 100, those with most connections first',
    }),
  },
  { $id: 'propagation', description: 'How far a revision has come' },
);

const getPropagation = route('GET /api/admin/propagation/:revision', {
  operationId: 'getPropagation',
  access: { permission: 'READ' },
  summary: 'How many connected SDKs have a revision, how long it took, and which applications lag',
  description:
    'The revision is that of the header `burgee-revision`, which every write answers, or `latest`: the newest that SDKs see something of. The last thousand of these are known. ' +
    'What changed in projects that the caller may not see is not told of.',
  params: { revision: Type.String({ pattern: '^(\\d{1,15}|latest)$', description: 'Its number, or `latest`' }) },
  responses: { 200: { description: 'How far it has come', schema: Propagated } },
  async handle({ params, caller }, { propagation, state }) {
    const revision = params.revision === 'latest' ? (propagation.newest ?? state.seq) : Number(params.revision);
    if (revision > state.seq) return notFound(`There is no revision ${revision} yet; the newest one is ${state.seq}.`);
    const spread = await propagation.spread(revision, visibleProjects(state, caller).has);
    if (!spread)
      return notFound(`How far revision ${revision} came is not known any more: it is from ${propagation.oldest} on.`);
    const { concerned, have } = spread;
    return ok({ ...spread, share: concerned === 0 ? 1 : have / concerned });
  },
});

export const propagationEndpoints = [getPropagation];
