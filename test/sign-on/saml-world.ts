import { expect } from 'vitest';
import { type SelfSigned, selfSigned } from '../support/certificate.ts';
import { ADMIN_TOKEN } from '../support/service.ts';
import { Browser, formOf, locationOf, type Page } from './browser.ts';
import { type ProviderProcess, startProvider } from './child-process.ts';

/** A service, and an identity provider that each other know. */
export interface SamlWorld {
  readonly provider: ProviderProcess;
  /** What the identity provider signs with. */
  readonly signing: SelfSigned;
  /** What this service signs with. */
  readonly own: SelfSigned;
}

export const SECRETS_KEY = 'a random text of at least thirty-two characters';

export async function startSamlWorld(): Promise<SamlWorld> {
  const [signing, own] = [selfSigned('identity provider'), selfSigned('burgee')];
  const provider = await startProvider('saml-idp.mjs', { KEY: signing.key, CERTIFICATE: signing.certificate });
  return { provider, signing, own };
}

/** Settings of a service that knows the identity provider. */
export function settingsOf({ provider, signing, own }: SamlWorld, rest: object = {}): Record<string, unknown> {
  return {
    enabled: true,
    entityId: `${provider.url}/metadata`,
    signOnUrl: `${provider.url}/sign-on`,
    signOutUrl: `${provider.url}/sign-out`,
    certificate: signing.certificate,
    spCertificate: own.key + own.certificate,
    autoCreate: true,
    ...rest,
  };
}

/** Makes both know each other. */
export async function introduce(world: SamlWorld, serviceUrl: string, rest: object = {}): Promise<void> {
  const answer = await fetch(`${serviceUrl}/api/admin/auth/saml/settings`, {
    method: 'POST',
    headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify(settingsOf(world, rest)),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
  const metadata = await fetch(`${serviceUrl}/auth/saml/metadata`);
  expect(metadata.status).toBe(200);
  await world.provider.put('/service', { metadata: await metadata.text() });
}

/** What a browser holds when the identity provider has answered it, and not yet handed over. */
export interface Answered {
  readonly browser: Browser;
  /** Where the answer is to be posted. */
  readonly action: string;
  /** The answer as XML. */
  readonly xml: string;
}

/** Goes to sign on, and is answered by the identity provider what `subject` says. */
export async function answered(
  { provider }: SamlWorld,
  serviceUrl: string,
  subject: object = {},
  browser = new Browser(),
  query = '',
): Promise<Answered> {
  await provider.put('/subject', subject);
  const begun = await browser.get(`${serviceUrl}/auth/saml/login${query}`);
  expect(begun.status, begun.text).toBe(303);
  const page = await new Browser().get(locationOf(begun));
  expect(page.status, page.text).toBe(200);
  const { action = '', fields } = formOf(page);
  return { browser, action, xml: Buffer.from(fields.SAMLResponse ?? '', 'base64').toString('utf8') };
}

/** Hands an answer over, as it is or as somebody made of it; a page that sends it again is followed. */
export async function handOver(
  { browser, action }: Answered,
  xml: string,
  isCrossSite = true,
  url = action,
): Promise<Page> {
  const SAMLResponse = Buffer.from(xml).toString('base64');
  const page = await browser.post(url, { SAMLResponse, RelayState: '' }, isCrossSite);
  if (!isCrossSite) return page;
  expect(page.status, page.text).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  const { action: next, fields } = formOf(page);
  expect(next).toBeUndefined();
  expect(fields.SAMLResponse).toBe(SAMLResponse);
  return browser.post(url, fields);
}

/** Whether the browser is signed on: what every admin may read, it reads. */
export async function isSignedOn(serviceUrl: string, browser: Browser): Promise<boolean> {
  const { status, text } = await browser.get(`${serviceUrl}/api/admin/tag-types`);
  expect([200, 401], text).toContain(status);
  return status === 200;
}
