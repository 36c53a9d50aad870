import type { Steps } from '../../../base/yield-control.ts';
import type { EventType } from '../../../model/event.ts';
import type { Message, PostAnswer } from '../delivery/post.ts';

/** A parameter of a provider, as `GET /api/admin/addons` describes it. */
export interface ParameterDefinition {
  readonly name: string;
  readonly displayName: string;
  /** `url`, `text` or `textfield` (several lines), for forms. */
  readonly type: 'url' | 'text' | 'textfield';
  readonly description: string;
  readonly placeholder?: string;
  readonly required: boolean;
  /** A secret: stored sealed, and shown only as a mask. */
  readonly sensitive: boolean;
}

/** The values of the parameters of an add-on, opened. A parameter that is not set is missing. */
export type Parameters = ReadonlyMap<string, string>;

/** An event as providers send it. */
export interface SentEvent {
  readonly addon: number;
  readonly id: number;
  readonly type: EventType;
  /** When the message is sent. */
  readonly nowMs: number;
  /** The event as the admin API shows it. */
  readonly event: Readonly<Record<string, unknown>>;
  /** The event as JSON. */
  readonly json: string;
  readonly label: string;
  /** What happened, in a sentence of Markdown with links. */
  readonly markdown: string;
  /** The page of the flag or project; null if the event concerns neither. */
  readonly link: string | null;
  /** The tags of the flag. */
  readonly tags: readonly { readonly type: string; readonly value: string }[];
}

/** A service to which events are sent. */
export interface Provider {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly howTo?: string;
  /** Why people should choose another provider. */
  readonly deprecated?: string;
  /** What people should know before they choose the provider. */
  readonly alerts?: readonly Alert[];
  /** The page on which the destination is prepared. */
  readonly installation?: { readonly url: string; readonly title: string; readonly helpText: string };
  readonly parameters: readonly ParameterDefinition[];
  readonly tagTypes?: readonly { readonly name: string; readonly description: string; readonly icon: string }[];
  /** The problem of the parameters, as a sentence and the name of the parameter; undefined if there is none. */
  problem?(parameters: Parameters): ParameterProblem | undefined;
  /** The requests for one event; or why there are none, as a sentence without secrets. */
  messages(event: SentEvent, parameters: Parameters): Steps<readonly Message[] | string>;
  /** Why an answer with the status 2xx is a failure, without secrets; undefined if it is a success. */
  failureOf?(answer: PostAnswer): string | undefined;
}

interface Alert {
  readonly type: 'success' | 'info' | 'warning' | 'error';
  readonly text: string;
}

export interface ParameterProblem {
  readonly name: string;
  readonly message: string;
}
