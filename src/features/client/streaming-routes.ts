import { subscribed } from '../endpoint.ts';

const streamChanges = subscribed('GET /api/client/streaming', 'streamChanges', {
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'The flags of the token’s environment and projects, and every change of them as it happens',
  description:
    'Server-sent events: `unleash-connected` with everything, then `unleash-updated` with what changed; the data is that of `/api/client/delta`. ' +
    'A client that reconnects with `Last-Event-ID` gets what it missed. The stream ends when the token is no longer valid.',
  responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
  errors: [429],
  channel: ({ caller: { scope } }, { clientViews }) => clientViews.channel(scope),
  receipts: ({ scope }, request, { propagation }) => propagation.joined(scope, request),
  follow: ({ clientViews }, changed) => clientViews.onChanged(() => changed()),
});

export const streamingEndpoints = [streamChanges];
