import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Steps } from '../../../base/yield-control.ts';
import { filledIn, templateProblem } from '../delivery/templates.ts';
import { ADDON_LIMITS } from '../limits.ts';
import type { ParameterDefinition, ParameterProblem, Parameters, SentEvent } from './provider.ts';

/** Parameters that several providers have. */
export const CUSTOM_HEADERS: ParameterDefinition = {
  name: 'customHeaders',
  displayName: 'Extra HTTP headers',
  type: 'textfield',
  description: 'Headers of the request, as a JSON object of texts',
  placeholder: '{"X-Team": "checkout"}',
  required: false,
  sensitive: true,
};

export const BODY_TEMPLATE: ParameterDefinition = {
  name: 'bodyTemplate',
  displayName: 'Body template',
  type: 'textfield',
  description:
    'Mustache template of the body. Names: `event` and its fields, such as `event.type` or `event.data.name`; `eventJson`, the event as JSON; ' +
    '`eventMarkdown`, a sentence',
  placeholder: '{"event": "{{event.type}}", "by": "{{event.createdBy}}", "flag": "{{event.featureName}}"}',
  required: false,
  sensitive: false,
};

/** Headers that the connection needs, and that no parameter may set. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
]);

/** Checks the parameters that have the same rules for every provider. */
export function commonProblem(
  definitions: readonly ParameterDefinition[],
  parameters: Parameters,
): ParameterProblem | undefined {
  for (const { name, type, required } of definitions) {
    const value = parameters.get(name);
    if (value === undefined) {
      if (required) return { name, message: `The parameter ${name} is required.` };
      continue;
    }
    const message = type === 'url' ? urlProblem(name, value) : valueProblem(name, value);
    if (message !== undefined) return { name, message };
  }
  return undefined;
}

function urlProblem(name: string, value: string): string | undefined {
  if (!URL.canParse(value)) return `The parameter ${name} is not a URL.`;
  const { protocol, username, password } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') return `The URL of ${name} must begin with http:// or https://.`;
  return username + password === '' ? undefined : `The URL of ${name} must not contain a user name or a password.`;
}

function valueProblem(name: string, value: string): string | undefined {
  if (name === CUSTOM_HEADERS.name) {
    const headers = headersOf(value);
    return typeof headers === 'string' ? headers : undefined;
  }
  if (name === BODY_TEMPLATE.name) {
    const { max } = ADDON_LIMITS.addonTemplateLength;
    if (value.length > max) return `The template has more than ${max} characters.`;
    const problem = templateProblem(value);
    return problem === undefined ? undefined : `The template is not valid: ${problem}.`;
  }
  return undefined;
}

/** The headers in the parameter `customHeaders`, or its problem as a sentence. */
export function headersOf(text: string | undefined): Readonly<Record<string, string>> | string {
  if (text === undefined || text.trim() === '') return {};
  const wrong = 'customHeaders must be a JSON object of texts, such as {"X-Team": "checkout"}.';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return wrong;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong;
  const entries = Object.entries(value);
  if (entries.length > ADDON_LIMITS.addonHeaders.max)
    return `customHeaders has more than ${ADDON_LIMITS.addonHeaders.max} headers.`;
  const headers = new Map<string, string>();
  for (const [name, header] of entries) {
    if (typeof header !== 'string') return wrong;
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower)) return 'customHeaders contains a header that the connection sets itself.';
    if (!isHeader(lower, header)) return 'customHeaders contains a header that is not valid.';
    headers.set(lower, header);
  }
  return Object.fromEntries(headers);
}

/** Whether a header with this name and value can be sent. */
export function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** The headers of a request: those that callers chose do not replace those of the provider. */
export function withCustomHeaders(
  parameters: Parameters,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const custom = headersOf(parameters.get(CUSTOM_HEADERS.name));
  return { ...(typeof custom === 'string' ? {} : custom), ...own };
}

/** The body that the template in `bodyTemplate` gives; null without a template; or why there is none, as a sentence. */
export function* templatedBody(
  { event, json, markdown }: SentEvent,
  parameters: Parameters,
): Steps<{ readonly text: string } | null | string> {
  const template = parameters.get(BODY_TEMPLATE.name);
  if (template === undefined || template.trim() === '') return null;
  const view = { event, eventJson: json, eventMarkdown: markdown };
  const text = yield* filledIn(template, view, ADDON_LIMITS.addonMessageBytes.max);
  return text === undefined ? 'The template gives a text that is too long.' : { text };
}
