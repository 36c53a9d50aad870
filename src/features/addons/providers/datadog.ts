import type { Steps } from '../../../base/yield-control.ts';
import type { Message } from '../delivery/post.ts';
import { BODY_TEMPLATE, CUSTOM_HEADERS, isHeader, templatedBody, withCustomHeaders } from './fields.ts';
import type { Parameters, Provider, SentEvent } from './provider.ts';

const EVENTS_URL = 'https://api.datadoghq.com/api/v1/events';

export const datadog: Provider = {
  name: 'datadog',
  displayName: 'Datadog',
  description: 'Sends events to the events of Datadog.',
  parameters: [
    {
      name: 'url',
      displayName: 'Datadog Events URL',
      type: 'url',
      required: false,
      sensitive: false,
      description: `Address of the events API of the site; default: \`${EVENTS_URL}\``,
      placeholder: EVENTS_URL,
    },
    {
      name: 'apiKey',
      displayName: 'Datadog API key',
      type: 'text',
      required: true,
      sensitive: true,
      description: 'API key of the organization',
    },
    {
      name: 'sourceTypeName',
      displayName: 'Source type',
      type: 'text',
      required: false,
      sensitive: false,
      description: 'The source type (`source_type_name`) of the events',
    },
    CUSTOM_HEADERS,
    { ...BODY_TEMPLATE, description: `${BODY_TEMPLATE.description}. The result is the text of the event` },
  ],
  problem(parameters) {
    if (isHeader('dd-api-key', parameters.get('apiKey') ?? '')) return undefined;
    return { name: 'apiKey', message: 'apiKey contains characters that a key cannot have.' };
  },
  messages,
};

function* messages(sent: SentEvent, parameters: Parameters): Steps<readonly Message[] | string> {
  const templated = yield* templatedBody(sent, parameters);
  if (typeof templated === 'string') return templated;
  const { type, event, label, markdown } = sent;
  const tags = (['project', 'environment', 'featureName'] as const).flatMap((field) => {
    const value = event[field];
    return typeof value === 'string' ? [`${field === 'featureName' ? 'flag' : field}:${value}`] : [];
  });
  const sourceTypeName = parameters.get('sourceTypeName');
  const body = JSON.stringify({
    title: `Burgee: ${label}`,
    // The marks turn Markdown on.
    text: templated?.text ?? `%%% \n ${markdown} \n %%%`,
    tags: [`event:${type}`, ...tags],
    ...(sourceTypeName !== undefined && { source_type_name: sourceTypeName }),
  });
  yield;
  const headers = withCustomHeaders(parameters, {
    'content-type': 'application/json',
    'dd-api-key': parameters.get('apiKey') ?? '',
  });
  return [{ target: null, url: parameters.get('url') ?? EVENTS_URL, headers, body }];
}
