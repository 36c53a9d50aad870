import { expect } from 'vitest';
import { selfSigned } from '../../../support/programs/certificate.ts';
import { ADMIN_TOKEN } from '../../../support/service.ts';
import { Browser, locationOf } from '../browser.ts';
import { type ProviderProcess, startProvider } from '../child-process.ts';

const CLIENT_SECRET = 'the secret of the client at the provider';

export const OIDC_CALLBACK = '/auth/oidc/callback';

export function startOidcProvider(): Promise<ProviderProcess> {
  // With a key that this process has already, if it had a provider of SAML.
  return startProvider('oidc-provider.mjs', { CLIENT_SECRET, KEY: selfSigned('identity provider', 'rsa').key });
}

/** Configures the provider and the service for each other. `name` is the public address of the service. */
export async function introduceOidc(
  provider: ProviderProcess,
  serviceUrl: string,
  rest: object = {},
  name = serviceUrl,
): Promise<void> {
  await provider.put('/service', { callbackUrl: name + OIDC_CALLBACK, homeUrl: `${name}/` });
  const settings = { enabled: true, discoverUrl: provider.url, clientId: 'burgee', secret: CLIENT_SECRET };
  const answer = await fetch(`${serviceUrl}/api/admin/auth/oidc/settings`, {
    method: 'POST',
    headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ ...settings, autoCreate: true, ...rest }),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
}

interface OidcQuestion {
  /** Changes the request to the provider. */
  readonly change?: (url: URL) => void;
  readonly query?: string;
  /** The public address of the service. */
  readonly name?: string;
}

/** Follows the sign-on through the provider. Returns the address of the service to which the provider redirects the browser. */
export async function answeredByOidc(
  serviceUrl: string,
  browser: Browser,
  { change = () => {}, query = '', name = serviceUrl }: OidcQuestion = {},
): Promise<URL> {
  const begun = await browser.get(`${serviceUrl}/auth/oidc/login${query}`);
  expect(begun.status, begun.text).toBe(303);
  const asked = new URL(locationOf(begun));
  change(asked);
  // The provider has separate cookies.
  const there = new Browser();
  let url = asked;
  for (let hops = 0; hops < 10; hops++) {
    url = new URL(locationOf(await there.get(url.href)), url);
    if (url.href.startsWith(name)) return url;
  }
  throw new Error('the provider redirects the browser without an end');
}
