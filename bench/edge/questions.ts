import { CLIENT_TOKEN, FRONTEND_TOKEN } from '../support/service.ts';

/** A request that SDKs, operators or unknown clients send to a relay. */
export interface Question {
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** How the answers are compared: status and content, or only the status. */
  readonly by: 'content' | 'status';
}

const CLIENT = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0', 'unleash-appname': 'bench' };
const FRONTEND = { authorization: FRONTEND_TOKEN };
const get = (path: string, headers: Question['headers'], by: Question['by'] = 'content'): Question => ({
  method: 'GET',
  path,
  headers,
  by,
});
const post = (path: string, headers: Question['headers'], body: unknown, by: Question['by'] = 'status'): Question => ({
  method: 'POST',
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body,
  by,
});

/** The flag that questions name. */
export const NAMED_FLAG = 'flag-1';

const TIME = '2026-01-02T03:04:05.000Z';
const BUCKET = { start: TIME, stop: TIME, toggles: { 'flag-1': { yes: 2, no: 1, variants: { a: 1 } } } };
const METRICS = { appName: 'bench', instanceId: 'one', environment: 'development', bucket: BUCKET };
const REGISTRATION = {
  appName: 'bench',
  instanceId: 'one',
  interval: 15_000,
  started: TIME,
  strategies: ['default'],
  sdkVersion: 'bench:1',
};
const BULK = {
  applications: [{ ...REGISTRATION, connectVia: [], environment: 'development' }],
  metrics: [
    {
      appName: 'bench',
      featureName: 'flag-1',
      environment: 'development',
      timestamp: TIME,
      yes: 1,
      no: 0,
      variants: {},
    },
  ],
};
const CONTEXT = { userId: '7', sessionId: 'a', properties: { plan: 'gold' } };

/** Requests to the client API, as server SDKs send them. */
const CLIENT_QUESTIONS: readonly Question[] = [
  get('/api/client/features', CLIENT),
  get('/api/client/features', { authorization: CLIENT_TOKEN }),
  get('/api/client/features?namePrefix=checkout', CLIENT),
  get('/api/client/features?project=default', CLIENT),
  get('/api/client/features?project=elsewhere', CLIENT),
  get('/api/client/features/flag-1', CLIENT),
  get('/api/client/features/no-such-flag', CLIENT),
  get('/api/client/features', { ...CLIENT, authorization: 'default:development.bench-project' }),
  get('/api/client/features', { ...CLIENT, authorization: '*:production.bench-production' }),
  get('/api/client/features', {}),
  get('/api/client/features', { authorization: '*:development.unknown' }, 'status'),
  get('/api/client/features', { authorization: 'nonsense' }, 'status'),
  get('/api/client/features', FRONTEND, 'status'),
  get('/api/client/delta', CLIENT, 'status'),
  post('/api/client/register', CLIENT, REGISTRATION),
  post('/api/client/metrics', CLIENT, METRICS),
  post('/api/client/metrics', CLIENT, { bucket: 'nonsense' }),
  post('/api/client/metrics/bulk', CLIENT, BULK),
  post('/api/client/metrics', {}, METRICS),
  post('/edge/validate', {}, { tokens: [CLIENT_TOKEN, FRONTEND_TOKEN, '*:development.unknown'] }, 'content'),
];

/** Requests to the frontend API, as web pages send them. */
const FRONTEND_QUESTIONS: readonly Question[] = [
  get('/api/frontend?userId=7&properties[plan]=gold&sessionId=a', FRONTEND),
  get('/api/frontend?userId=7&plan=gold&sessionId=a', FRONTEND),
  get('/api/proxy?userId=7&sessionId=a', FRONTEND),
  post('/api/frontend', FRONTEND, CONTEXT, 'content'),
  post('/api/frontend', FRONTEND, { context: CONTEXT }, 'content'),
  post('/api/proxy', FRONTEND, CONTEXT, 'content'),
  get('/api/frontend/all?userId=7&sessionId=a', FRONTEND),
  get('/api/proxy/all?userId=7&sessionId=a', FRONTEND),
  get('/api/frontend/features/flag-1?userId=7&sessionId=a', FRONTEND),
  get('/api/frontend/features/no-such-flag', FRONTEND, 'status'),
  get('/api/frontend', {}, 'status'),
  get('/api/frontend', { authorization: '*:development.unknown' }, 'status'),
  get('/api/frontend', CLIENT, 'status'),
  post('/api/frontend/client/metrics', FRONTEND, METRICS),
  post('/api/frontend/client/register', FRONTEND, REGISTRATION),
  post('/api/proxy/client/metrics', FRONTEND, METRICS),
  post('/api/proxy/client/register', FRONTEND, REGISTRATION),
  {
    method: 'OPTIONS',
    path: '/api/frontend',
    headers: {
      origin: 'https://page.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
    by: 'status',
  },
];

/** Requests of operators and their tools. */
const OPERATORS_QUESTIONS: readonly Question[] = [
  get('/internal-backstage/health', {}, 'status'),
  get('/internal-backstage/ready', {}, 'status'),
  ...['info', 'prometheus', 'metrics', 'tokens', 'features', 'metricsbatch', 'instancedata'].map((name) =>
    get(`/internal-backstage/${name}`, {}, 'status'),
  ),
  get('/', {}, 'status'),
  get('/api/admin/projects', CLIENT, 'status'),
];

export const QUESTIONS: readonly Question[] = [...CLIENT_QUESTIONS, ...FRONTEND_QUESTIONS, ...OPERATORS_QUESTIONS];

/** Contexts whose evaluated answers are compared, flag by flag. */
export function contextQuestions(count: number): Question[] {
  return Array.from({ length: count }, (_, index) =>
    post(
      '/api/frontend/all',
      FRONTEND,
      {
        userId: `user-${index}`,
        sessionId: `session-${index % 17}`,
        remoteAddress: `10.0.0.${index % 200}`,
        appName: index % 3 === 0 ? 'shop' : 'bench',
        properties: {
          plan: ['free', 'gold', 'none'][index % 3],
          country: ['no', 'se', 'de'][index % 3],
          version: `1.${index % 9}.0`,
        },
      },
      'content',
    ),
  );
}
