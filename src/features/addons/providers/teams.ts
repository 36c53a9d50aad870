import type { Steps } from '../../../base/yield-control.ts';
import type { Message } from '../delivery/post.ts';
import { CUSTOM_HEADERS, withCustomHeaders } from './fields.ts';
import type { Parameters, Provider, SentEvent } from './provider.ts';

const shared = {
  parameters: [
    {
      name: 'url',
      displayName: 'Microsoft Teams webhook URL',
      type: 'url',
      required: true,
      sensitive: true,
      description: 'Address of the workflow or of the incoming webhook',
    },
    CUSTOM_HEADERS,
  ],
  messages,
} satisfies Partial<Provider>;

export const teamsWorkflow: Provider = {
  name: 'teamsworkflow',
  displayName: 'Microsoft Teams workflow',
  description: 'Posts events to a channel of Microsoft Teams with a workflow, as adaptive cards.',
  howTo: 'Create the workflow “Post to a channel when a webhook request is received” in Teams, and copy its URL.',
  ...shared,
};

/** The older name: Unleash used it for the incoming webhooks that Microsoft has ended. It sends the same. */
export const teams: Provider = {
  name: 'teams',
  displayName: 'Microsoft Teams',
  description: 'Posts events to a channel of Microsoft Teams, as adaptive cards.',
  deprecated: 'Use “Microsoft Teams workflow” instead.',
  alerts: [{ type: 'warning', text: 'Microsoft has ended incoming webhooks: only addresses of workflows still work.' }],
  ...shared,
};

function* messages(sent: SentEvent, parameters: Parameters): Steps<readonly Message[]> {
  const body = JSON.stringify({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: cardOf(sent) }],
  });
  yield;
  const headers = withCustomHeaders(parameters, { 'content-type': 'application/json' });
  return [{ target: null, url: parameters.get('url') ?? '', headers, body }];
}

function cardOf({ label, markdown, event, link }: SentEvent): object {
  const facts = (
    [
      ['By', event.createdBy],
      ['Project', event.project],
      ['Environment', event.environment],
      ['Flag', event.featureName],
      ['Reason', event.reason],
    ] as const
  ).flatMap(([title, value]) => (typeof value === 'string' ? [{ title, value }] : []));
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: label, weight: 'Bolder', size: 'Medium', wrap: true },
      { type: 'TextBlock', text: markdown, wrap: true },
      { type: 'FactSet', facts },
    ],
    ...(link !== null && { actions: [{ type: 'Action.OpenUrl', title: 'Open in Burgee', url: link }] }),
  };
}
