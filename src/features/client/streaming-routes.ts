import { subscribed } from '../endpoint.ts';
import { invitedIdOf } from './stream-invitations.ts';

const streamChanges = subscribed('GET /api/client/streaming', 'streamChanges', {
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'The flags of the token’s environment and projects, then every change of them',
  description:
    'Server-sent events: `unleash-connected` with the whole list, then `unleash-updated` with the changes. The data has the form of ' +
    '`/api/client/delta`. A client that reconnects with `Last-Event-ID` gets the changes that it missed. The stream ends when the token is ' +
    'deleted or expires.',
  responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
  errors: [429],
  channel(request, { clientViews, streamInvitations }) {
    streamInvitations.noteStream(invitedIdOf(request, request.caller));
    return clientViews.channel(request.caller.scope);
  },
  receipts: ({ scope }, request, { propagation }) => propagation.openStream(scope, request),
  follow: ({ clientViews }, changed) => clientViews.onChanged(() => changed()),
});

export const streamingEndpoints = [streamChanges];
