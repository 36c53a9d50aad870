// An OpenID Connect provider on oidc-provider, as a separate process. It signs on the subject of the last `PUT /subject`, without a prompt.
//
// PUT  /service {callbackUrl, homeUrl}   the one client: `burgee`
// PUT  /subject {id, claims, idToken, userInfo}   the last two, where present, replace the claims of that source
import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const { CLIENT_SECRET } = process.env;

let subject = { id: 'ann', claims: { email: 'ann@example.com', email_verified: true } };
let provider;

const KEY = { ...createPrivateKey(process.env.KEY).export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'one' };

const server = createServer((request, response) => {
  handle(request, response).catch((error) => response.writeHead(500).end(String(error?.stack ?? error)));
});

async function handle(request, response) {
  const { pathname } = new URL(request.url, base());
  if (request.method === 'PUT') {
    const body = await bodyOf(request);
    if (pathname === '/service') provider = providerFor(body);
    else subject = body;
    response.end();
    return;
  }
  if (pathname.startsWith('/interaction/')) await interact(request, response);
  else provider.callback()(request, response);
}

/** Every visitor is the subject, and agrees to everything. */
async function interact(request, response) {
  const { prompt, params, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: subject.id } });
    return;
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: subject.id, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

function providerFor({ callbackUrl, homeUrl }) {
  const made = new Provider(base(), {
    clients: [
      {
        client_id: 'burgee',
        client_secret: CLIENT_SECRET,
        redirect_uris: [callbackUrl],
        post_logout_redirect_uris: [homeUrl],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups', 'team'] },
    scopes: ['openid', 'groups'],
    conformIdTokenClaims: false,
    cookies: { keys: ['for a test'] },
    jwks: { keys: [KEY] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: (use) => ({ sub: id, ...claimsFor(use) }) }),
  });
  made.on('server_error', (_context, error) => console.error(error));
  return made;
}

const claimsFor = (use) => (use === 'id_token' ? subject.idToken : subject.userInfo) ?? subject.claims;

const base = () => `http://127.0.0.1:${server.address().port}`;

function bodyOf(request) {
  return new Promise((resolve, reject) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => resolve(JSON.parse(body)));
    request.on('error', reject);
  });
}

server.listen(0, '127.0.0.1', () => console.log(base()));
// The parent process has ended.
process.stdin.on('end', () => process.exit(0)).resume();
