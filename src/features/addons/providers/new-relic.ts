import type { Steps } from '../../../base/yield-control.ts';
import type { Message } from '../delivery/post.ts';
import { BODY_TEMPLATE, CUSTOM_HEADERS, isHeader, templatedBody, withCustomHeaders } from './fields.ts';
import { plainText } from './markdown.ts';
import type { Parameters, Provider, SentEvent } from './provider.ts';

/** Most characters of a text attribute of New Relic's events. */
const ATTRIBUTE_MAX = 4_000;

export const newRelic: Provider = {
  name: 'new-relic',
  displayName: 'New Relic',
  description: 'Sends events to New Relic as custom events of the type `BurgeeEvent`.',
  parameters: [
    {
      name: 'url',
      displayName: 'New Relic Event URL',
      type: 'url',
      required: true,
      sensitive: false,
      description: 'Address of the event API, with the id of the account',
      placeholder: 'https://insights-collector.newrelic.com/v1/accounts/YOUR_ACCOUNT_ID/events',
    },
    {
      name: 'licenseKey',
      displayName: 'New Relic license key',
      type: 'text',
      required: true,
      sensitive: true,
      description: 'License key of the account',
    },
    CUSTOM_HEADERS,
    { ...BODY_TEMPLATE, description: `${BODY_TEMPLATE.description}. The result is the attribute \`template\`` },
  ],
  problem(parameters) {
    if (isHeader('api-key', parameters.get('licenseKey') ?? '')) return undefined;
    return { name: 'licenseKey', message: 'licenseKey contains characters that a key cannot have.' };
  },
  messages,
};

function* messages(sent: SentEvent, parameters: Parameters): Steps<readonly Message[] | string> {
  const templated = yield* templatedBody(sent, parameters);
  if (typeof templated === 'string') return templated;
  const { event, id, type, label, markdown } = sent;
  const texts = { createdBy: event.createdBy, createdByUserId: event.createdByUserId, createdAt: event.createdAt };
  const body = JSON.stringify({
    eventType: 'BurgeeEvent',
    eventId: id,
    burgeeEventType: type,
    ...attributesOf({
      ...texts,
      project: event.project,
      environment: event.environment,
      featureName: event.featureName,
    }),
    title: label,
    text: plainText(markdown).slice(0, ATTRIBUTE_MAX),
    ...(templated && { template: templated.text.slice(0, ATTRIBUTE_MAX) }),
  });
  yield;
  const headers = withCustomHeaders(parameters, {
    'content-type': 'application/json',
    'api-key': parameters.get('licenseKey') ?? '',
  });
  return [{ target: null, url: parameters.get('url') ?? '', headers, body }];
}

/** New Relic accepts texts and numbers, and refuses null. */
function attributesOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
}
