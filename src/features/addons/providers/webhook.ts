import type { Steps } from '../../../base/yield-control.ts';
import type { Message } from '../delivery/post.ts';
import { BODY_TEMPLATE, CUSTOM_HEADERS, isHeader, templatedBody, withCustomHeaders } from './fields.ts';
import type { ParameterProblem, Parameters, Provider, SentEvent } from './provider.ts';

/** A secret of the Standard Webhooks scheme: 24 to 64 bytes, in base64, after a prefix. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

export const webhook: Provider = {
  name: 'webhook',
  displayName: 'Webhook',
  description: 'Sends events as HTTP POST requests to any address.',
  parameters: [
    {
      name: 'url',
      displayName: 'Webhook URL',
      type: 'url',
      required: true,
      sensitive: true,
      description: 'Address to which events are sent',
    },
    {
      name: 'contentType',
      displayName: 'Content-Type',
      type: 'text',
      required: false,
      sensitive: false,
      description: 'Content type of the body; default: `application/json`',
      placeholder: 'application/json',
    },
    {
      name: 'authorization',
      displayName: 'Authorization',
      type: 'text',
      required: false,
      sensitive: true,
      description: 'The header `Authorization` of the request',
    },
    CUSTOM_HEADERS,
    BODY_TEMPLATE,
    {
      name: 'signingSecret',
      displayName: 'Signing secret',
      type: 'text',
      required: false,
      sensitive: true,
      description:
        'Requests are signed with this secret by the Standard Webhooks scheme: `whsec_` and 24 to 64 random bytes in base64',
      placeholder: 'whsec_…',
    },
  ],
  problem,
  messages,
};

function problem(parameters: Parameters): ParameterProblem | undefined {
  const secret = parameters.get('signingSecret');
  if (secret !== undefined && !isSecret(secret))
    return { name: 'signingSecret', message: 'signingSecret must be `whsec_` and 24 to 64 bytes in base64.' };
  for (const [name, header] of [
    ['contentType', 'content-type'],
    ['authorization', 'authorization'],
  ] as const) {
    const value = parameters.get(name);
    if (value !== undefined && !isHeader(header, value))
      return { name, message: `${name} contains characters that a header cannot have.` };
  }
  return undefined;
}

function isSecret(secret: string): boolean {
  const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return SECRET.test(secret) && length >= 24 && length <= 64;
}

function* messages(sent: SentEvent, parameters: Parameters): Steps<readonly Message[] | string> {
  const templated = yield* templatedBody(sent, parameters);
  if (typeof templated === 'string') return templated;
  const body = templated?.text ?? sent.json;
  yield;
  const authorization = parameters.get('authorization');
  const secret = parameters.get('signingSecret');
  // The id is the same in each attempt, so a receiver can find repeated messages.
  const id = `burgee_${sent.addon}_${sent.id}`;
  const headers = withCustomHeaders(parameters, {
    'content-type': parameters.get('contentType') ?? 'application/json',
    ...(authorization !== undefined && { authorization }),
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sent.nowMs / 1_000)),
  });
  const signing = secret === undefined ? undefined : { secret, id, atMs: sent.nowMs };
  return [{ target: null, url: parameters.get('url') ?? '', headers, body, ...(signing && { signing }) }];
}
