import type { Steps } from '../../../base/yield-control.ts';
import type { Message, PostAnswer } from '../delivery/post.ts';
import { ADDON_LIMITS } from '../limits.ts';
import { isHeader } from './fields.ts';
import { slackText } from './markdown.ts';
import type { Parameters, Provider, SentEvent } from './provider.ts';
import { SLACK_TAG, taggedChannels } from './slack.ts';

const API_URL = 'https://slack.com/api';

export const slackApp: Provider = {
  name: 'slack-app',
  displayName: 'App for Slack',
  description: 'Posts events to channels as an app of Slack.',
  howTo:
    'Create an app in Slack with the scopes `chat:write` and `chat:write.public`, and install it in the workspace.',
  installation: {
    url: 'https://api.slack.com/apps',
    title: 'Create the app',
    helpText: 'Slack shows the bot token after the app was installed in the workspace.',
  },
  parameters: [
    {
      name: 'accessToken',
      displayName: 'Access token',
      type: 'text',
      required: true,
      sensitive: true,
      description: 'Bot token of the app (`xoxb-…`)',
    },
    {
      name: 'defaultChannels',
      displayName: 'Channels',
      type: 'text',
      required: false,
      sensitive: false,
      description:
        'Channels to which every event is posted, comma-separated; events of flags are also posted to the channels in their tags of the type `slack`',
    },
    {
      name: 'apiUrl',
      displayName: 'Address of the API',
      type: 'url',
      required: false,
      sensitive: false,
      description: `Address of Slack’s API; default: \`${API_URL}\``,
      placeholder: API_URL,
    },
  ],
  tagTypes: [SLACK_TAG],
  problem(parameters) {
    if (isHeader('authorization', parameters.get('accessToken') ?? '')) return undefined;
    return { name: 'accessToken', message: 'accessToken contains characters that a token cannot have.' };
  },
  messages,
  failureOf,
};

function* messages(sent: SentEvent, parameters: Parameters): Steps<readonly Message[]> {
  const named = (parameters.get('defaultChannels') ?? '').split(',').flatMap((channel) => channel.trim() || []);
  const channels = [...new Set([...named, ...taggedChannels(sent)])].slice(0, ADDON_LIMITS.addonChannels.max);
  const text = slackText(sent.markdown);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    authorization: `Bearer ${parameters.get('accessToken') ?? ''}`,
  };
  const url = `${(parameters.get('apiUrl') ?? API_URL).replace(/\/+$/, '')}/chat.postMessage`;
  yield;
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text } }, ...buttonOf(sent)];
  return channels.map((channel) => ({
    target: channel,
    url,
    headers,
    body: JSON.stringify({ channel, text, blocks, unfurl_links: false }),
  }));
}

function buttonOf({ link }: SentEvent): readonly object[] {
  if (link === null) return [];
  const text = { type: 'plain_text', text: 'Open in Burgee' };
  return [{ type: 'actions', elements: [{ type: 'button', text, url: link, action_id: 'open' }] }];
}

/** Slack answers 200 also when it refuses a message, with the reason in the body. */
function failureOf({ text }: PostAnswer): string | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return 'Slack sent an answer that is not JSON.';
  }
  const { ok, error } = (answer ?? {}) as { readonly ok?: unknown; readonly error?: unknown };
  if (ok === true) return undefined;
  return `Slack refused the message${typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? `: ${error}` : ''}.`;
}
