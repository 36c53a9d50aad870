import type { Steps } from '../../../base/yield-control.ts';
import type { Message } from '../delivery/post.ts';
import { ADDON_LIMITS } from '../limits.ts';
import { CUSTOM_HEADERS, withCustomHeaders } from './fields.ts';
import { slackText } from './markdown.ts';
import type { Parameters, Provider, SentEvent } from './provider.ts';

/** A tag of this type on a flag names a channel for its events. */
export const SLACK_TAG = {
  name: 'slack',
  description: 'The Slack channels to which events of a flag are sent',
  icon: 'S',
};

export const slack: Provider = {
  name: 'slack',
  displayName: 'Slack',
  description: 'Posts events to channels with an incoming webhook of Slack.',
  parameters: [
    {
      name: 'url',
      displayName: 'Slack webhook URL',
      type: 'url',
      required: true,
      sensitive: true,
      description: 'Address of the incoming webhook',
    },
    {
      name: 'username',
      displayName: 'Username',
      type: 'text',
      required: false,
      sensitive: false,
      description: 'Name with which messages are posted; default: `Burgee`',
      placeholder: 'Burgee',
    },
    {
      name: 'emojiIcon',
      displayName: 'Emoji icon',
      type: 'text',
      required: false,
      sensitive: false,
      description: 'Emoji that messages have as icon; default: `:triangular_flag_on_post:`',
      placeholder: ':triangular_flag_on_post:',
    },
    {
      name: 'defaultChannel',
      displayName: 'Default channel',
      type: 'text',
      required: true,
      sensitive: false,
      description: 'Channel for events of flags that have no tag of the type `slack`, and for all other events',
    },
    CUSTOM_HEADERS,
  ],
  tagTypes: [SLACK_TAG],
  messages,
};

function* messages(sent: SentEvent, parameters: Parameters): Steps<readonly Message[]> {
  const tagged = taggedChannels(sent);
  const channels = tagged.length > 0 ? tagged : [parameters.get('defaultChannel') ?? ''];
  const username = parameters.get('username') ?? 'Burgee';
  const icon_emoji = parameters.get('emojiIcon') ?? ':triangular_flag_on_post:';
  const text = slackText(sent.markdown);
  yield;
  return channels.slice(0, ADDON_LIMITS.addonChannels.max).map((channel) => ({
    target: channel,
    url: parameters.get('url') ?? '',
    headers: withCustomHeaders(parameters, { 'content-type': 'application/json' }),
    body: JSON.stringify({ username, icon_emoji, channel: channelName(channel), text, ...attachments(sent) }),
  }));
}

/** The channels that the tags of the flag name. */
export function taggedChannels({ tags }: SentEvent): readonly string[] {
  return [...new Set(tags.filter(({ type }) => type === SLACK_TAG.name).map(({ value }) => value))];
}

/** Slack expects `#` before the name of a channel, and nothing before an id. */
function channelName(channel: string): string {
  return /^[#@]|^[CDGU][A-Z0-9]{8,}$/.test(channel) ? channel : `#${channel}`;
}

/** A button that opens the page of the flag or project. */
function attachments({ link, label }: SentEvent): object {
  if (link === null) return {};
  const actions = [
    { name: 'open', text: 'Open in Burgee', type: 'button', value: 'open', style: 'primary', url: link },
  ];
  return { attachments: [{ actions, fallback: label }] };
}
