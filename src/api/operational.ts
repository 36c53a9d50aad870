import Type from 'typebox';
import { unavailable } from '../base/rejection.ts';
import { ok } from '../http/answer.ts';
import { endpoint } from './endpoint.ts';

const health = endpoint({
  operationId: 'getHealth',
  method: 'get',
  path: '/health',
  tag: 'Operational',
  permission: 'none',
  summary: 'Whether the process lives',
  responses: { 200: { description: 'It does', schema: Type.Object({ health: Type.Literal('GOOD') }) } },
  errors: [],
  handle: () => ok({ health: 'GOOD' }),
});

const ready = endpoint({
  operationId: 'getReady',
  method: 'get',
  path: '/ready',
  tag: 'Operational',
  permission: 'none',
  summary: 'Whether requests should be sent here: state is loaded, and the service is not stopping',
  responses: {
    200: {
      description: 'They should',
      schema: Type.Object({
        status: Type.Literal('READY'),
        revision: Type.Integer({ description: 'Sequence number of the newest applied commit' }),
        store: Type.String({ description: '`reachable`, or since when and why it is not' }),
      }),
    },
  },
  errors: [503],
  handle(_request, { ready: isReady, state, store }) {
    if (!isReady()) return unavailable('The service is starting or stopping.', 1);
    const status = store.status();
    return ok({
      status: 'READY',
      revision: state.seq,
      store: status.reachable ? 'reachable' : `unreachable since ${status.since}: ${status.reason}`,
    });
  },
});

export const operationalEndpoints = [health, ready];
