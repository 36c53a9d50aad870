import { expect } from 'vitest';
import { type SelfSigned, selfSigned } from '../../../support/programs/certificate.ts';
import { ADMIN_TOKEN } from '../../../support/service.ts';
import { Browser, formOf, locationOf, type Page } from '../browser.ts';
import { type ProviderProcess, startProvider } from '../child-process.ts';

/** An identity provider, and the keys of it and of the service. */
export interface SamlWorld {
  readonly provider: ProviderProcess;
  /** The signing key of the identity provider. */
  readonly signing: SelfSigned;
  /** The signing key of this service. */
  readonly own: SelfSigned;
}

export const SECRETS_KEY = 'a random text of at least thirty-two characters';

/** `hasOtherKeys`: not the keys of the other worlds. */
export async function startSamlWorld({ hasOtherKeys = false } = {}): Promise<SamlWorld> {
  const [signing, own] = hasOtherKeys
    ? [selfSigned('another identity provider', 'rsa'), selfSigned('another burgee', 'rsa')]
    : [selfSigned('identity provider', 'rsa'), selfSigned('burgee', 'rsa')];
  const provider = await startProvider('saml-idp.mjs', { KEY: signing.key, CERTIFICATE: signing.certificate });
  return { provider, signing, own };
}

/** Settings of a service that uses the identity provider. */
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

/** Configures the service and the identity provider for each other. */
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

/** The state of a browser that has an answer of the identity provider and has not posted it yet. */
export interface Answered {
  readonly browser: Browser;
  /** The address to post the answer to. */
  readonly action: string;
  /** The answer as XML. */
  readonly xml: string;
}

/** Begins a sign-on, and gets the answer of the identity provider for `subject`. */
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

/** Posts an answer, changed or not. A page that posts it again is followed. */
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

/** Whether the browser is signed on: it can read a list that every user can read. */
export async function isSignedOn(serviceUrl: string, browser: Browser): Promise<boolean> {
  const { status, text } = await browser.get(`${serviceUrl}/api/admin/tag-types`);
  expect([200, 401], text).toContain(status);
  return status === 200;
}
